/** Writes the summary of a simulated run as text: leader and term, members, messages, broken promises, diagram. */
import { termWriter } from '../../core/algorithm.ts'
import type { SimConfig } from '../../sim/config.ts'
import type { Summary } from '../../sim/run.ts'
import type { Diagram } from '../../diagram/diagram.ts'
import { showSpan } from '../../diagram/layout/time-scale.ts'
import { PLAIN, toAscii, type Palette } from './styled-line.ts'
import { alignColumns } from './print.ts'
import { terminalPicture, type PictureOptions } from './diagram.ts'

export interface SimulatedRun {
  readonly config: SimConfig
  readonly summary: Summary
  /** Null where the run was not recorded: the summary then has no diagram. */
  readonly space: Diagram | null
}

/** More members than this are counted, not listed. */
const MOST_LISTED = 20
const BAR_WIDTH = 24
const PURPOSES = { heartbeat: 'periodic', repair: 'repair' } as const

export function summaryText(
  { summary, config, space }: SimulatedRun,
  options: PictureOptions = {},
): string {
  const { palette = PLAIN, ascii = false } = options
  const run = `${summary.algorithm}, ${count(summary.nodes, 'member')}, seed ${summary.seed}`
  const parts = [
    `${outcome(summary, config, palette)}\n${palette.dim(run)}`,
    summary.members.length > MOST_LISTED
      ? aggregate(summary, config)
      : table(summary, config, palette),
    messages(summary, config, palette),
    remarks(summary, config, palette),
    space === null ? '' : terminalPicture(space, options).trimEnd(),
  ]
  const text = `${parts.filter((part) => part !== '').join('\n\n')}\n`
  return ascii ? toAscii(text) : text
}

function outcome(summary: Summary, config: SimConfig, palette: Palette): string {
  const { members, leader, term, electedMs, violations, endedMs } = summary
  const upCount = members.filter(({ up }) => up).length
  const broken = violations.length
  const promises =
    broken === 0 ? '' : ` ${palette.red(`${count(broken, 'promise')} broken, see below.`)}`
  if (leader === null || term === null || electedMs === null) {
    const [what, why] =
      upCount === 0
        ? ['No leader:', 'no member is up']
        : ['No agreement:', 'the members that are up do not all follow one leader']
    return `${palette.bold(palette.red(what))} after ${ms(endedMs)} ${why}.${promises}`
  }
  const who = upCount === 1 ? 'the only member that is up' : `all ${upCount} members that are up`
  return (
    `${palette.bold(palette.green(`Member ${leader} leads in term ${showTerm(config)(term)}:`))} ` +
    `agreed by ${who}, ${since(electedMs, config)}.${promises}`
  )
}

function showTerm({ algorithm, labels }: SimConfig): (term: number) => string {
  return termWriter(algorithm, (id) => labels.of(id))
}

function since(electedMs: number, { faults, initiators }: SimConfig): string {
  if (electedMs === 0)
    return faults.length > 0 ? 'before and after the last fault' : 'from the start'
  if (faults.length > 0) return `${ms(electedMs)} after the last fault`
  return `${ms(electedMs)} after ${initiators === null ? 'the start' : 'the election was called'}`
}

function ms(value: number): string {
  return showSpan(Math.round(1000 * value))
}

function count(n: number, thing: string): string {
  return `${n} ${thing}${n === 1 ? '' : 's'}`
}

function table({ members }: Summary, config: SimConfig, palette: Palette): string {
  const rows = members.map(({ id, up, status, leader, term }) => [
    leader === id ? `★ ${id}` : `  ${id}`,
    up ? 'up' : 'down',
    status ?? '–',
    !up ? '–' : leader === id ? 'itself' : leader === null ? 'nobody' : String(leader),
    showTerm(config)(term),
  ])
  const titles = ['  member', 'is', 'status', 'follows', 'term']
  const [heads, ...lines] = alignColumns([titles, ...rows], 3)
  const painted = lines.map((line, i) => {
    const { id, up, leader } = members[i]
    if (!up) return palette.dim(line)
    return leader === id ? palette.blue(line) : line
  })
  return [palette.dim(heads), ...painted].join('\n')
}

function aggregate({ members }: Summary, config: SimConfig): string {
  const up = members.filter((member) => member.up)
  // A number for each belief: there may be a million members.
  const beliefs = tally(up, ({ id, leader }) => (leader === id ? LEADS : leader), believed)
  const statuses = tally(
    up,
    ({ status }) => status,
    (status) => status ?? '–',
  )
  const terms = tally(up, ({ term }) => term, showTerm(config))
  return [
    `${count(up.length, 'member')} up, ${members.length - up.length} down.`,
    `Of those up, ${beliefs.map(([what, n]) => `${n} ${n === 1 ? singular(what) : what}`).join(', ')}.`,
    `Status: ${statuses.map(([status, n]) => `${status} ${n}`).join(', ')}.`,
    `Terms: ${terms.map(([term, n]) => `${term} (${n})`).join(', ')}.`,
  ].join('\n')
}

const LEADS = -1

function believed(leader: number | null): string {
  if (leader === null) return 'follow nobody'
  return leader === LEADS ? 'lead' : `follow ${leader}`
}

function singular(belief: string): string {
  return belief.replace(/^(lead|follow)/, '$1s')
}

/** The most frequent first; after eight, the rest as one. */
function tally<K>(
  members: Summary['members'],
  keyOf: (member: Summary['members'][number]) => K,
  show: (key: K) => string,
): [string, number][] {
  const counts = new Map<K, number>()
  for (const member of members) {
    const key = keyOf(member)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const shown = [...counts].map(([key, n]): [string, number] => [show(key), n])
  const sorted = shown.sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
  if (sorted.length <= 8) return sorted
  const rest = sorted.slice(8)
  return [...sorted.slice(0, 8), ['otherwise', rest.reduce((sum, [, n]) => sum + n, 0)]]
}

function messages({ messages }: Summary, config: SimConfig, palette: Palette): string {
  const { total, election, heartbeat, repair, detector, attempts, byType } = messages
  const kinds = [
    `${election} for the election`,
    heartbeat > 0 ? count(heartbeat, 'heartbeat') : '',
    repair > 0 ? `${repair} to repair` : '',
    detector > 0 ? `${detector} of the detector` : '',
  ].filter((kind) => kind !== '')
  const dead = attempts === 0 ? '' : `; ${attempts} went to members that were down`
  const { types } = config.algorithm.messages
  const others = Object.keys(byType).filter((type) => !types.includes(type))
  const most = Math.max(1, ...Object.values(byType))
  const widest = Math.max(...[...types, ...others].map((type) => type.length))
  const lines = [...types, ...others].map((type) => {
    const sent = byType[type] ?? 0
    const bar = sent === 0 ? '' : '█'.repeat(Math.max(1, Math.round((BAR_WIDTH * sent) / most)))
    const purpose = config.algorithm.purposes[type]
    const note = purpose === undefined ? '' : palette.dim(`  ${PURPOSES[purpose]}`)
    const line = `  ${type.padEnd(widest)} ${String(sent).padStart(6)}  ${palette.cyan(bar)}${note}`
    return sent === 0 ? palette.dim(line.trimEnd()) : line.trimEnd()
  })
  return [`${count(total, 'message')}: ${kinds.join(', ')}${dead}.`, ...lines].join('\n')
}

function remarks(summary: Summary, config: SimConfig, palette: Palette): string {
  const { violations, observed, quiet, endedMs } = summary
  const { algorithm } = config
  const lines = violations
    .slice(0, 10)
    .map(({ property, atMs, sentence }) =>
      palette.red(
        `Broken at ${ms(atMs)}: ${property}. ${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`,
      ),
    )
  if (violations.length > 10) lines.push(`${violations.length - 10} more broken promises.`)
  if (observed.disagreements > 0) {
    const times = observed.disagreements === 1 ? 'Once' : `${observed.disagreements} times`
    const promised = {
      always: '',
      eventually: `; ${algorithm.name} promises agreement only in the end`,
      'in groups': `; ${algorithm.name} promises agreement only within a group`,
    }[algorithm.promises.agreement]
    const what = `members followed different leaders${promised}`
    lines.push(`${times}, for ${ms(observed.disagreementMs)} in all, ${what}.`)
  }
  if (!quiet && config.untilUs === null) {
    lines.push(`The run never became quiet; it was ended after ${ms(endedMs)}.`)
  }
  return lines.join('\n')
}
