/** Parses the pseudocode of an algorithm, and finds the lines that a step of a run took: by its event, its messages and the fields that it changed. */
import type { RunStep } from '../simulation/worker-protocol.ts'

export interface Line {
  readonly text: string
  readonly depth: number
  readonly children: Line[]
  /** What a step must show so that this line and those below it are current; each of a list of alternatives. */
  readonly conditions: readonly (readonly string[])[]
}

export interface Listing {
  /** In order. */
  readonly lines: readonly Line[]
  /** Handlers and procedures. */
  readonly blocks: readonly Line[]
  /** The fields that the listing leaves out. */
  readonly hidden: ReadonlySet<string>
}

/** A line is indented by two spaces for each level. Behind `@` stands what a step shows if it took the line. */
export function parseListing(text: string): Listing {
  const [head, ...rest] = text.trimEnd().split('\n')
  const lines: Line[] = []
  const blocks: Line[] = []
  const open: Line[] = []
  for (const source of rest) {
    const [, indent, words, shown = ''] = /^( *)(.*?)(?: @ (.*))?$/u.exec(source)!
    const depth = indent.length / 2
    const conditions = shown.split(' ').flatMap((one) => (one === '' ? [] : [one.split('|')]))
    const line: Line = { text: words, depth, children: [], conditions }
    lines.push(line)
    open.length = depth
    ;(open.at(-1)?.children ?? blocks).push(line)
    open.push(line)
  }
  return { lines, blocks, hidden: new Set(head.split(' ').slice(1)) }
}

/** A step, and the timers that its member has set after it. */
export type TakenStep = Pick<
  RunStep,
  'kind' | 'event' | 'node' | 'peer' | 'changes' | 'sendings' | 'waits' | 'why'
>

/** The lines that a step took. */
export function linesOf(listing: Listing, step: TakenStep): ReadonlySet<Line> {
  return new LineFinder(listing, step).find()
}

class LineFinder {
  private readonly found = new Set<Line>()
  private readonly visited: Line[] = []
  private readonly listing: Listing
  private readonly step: TakenStep

  constructor(listing: Listing, step: TakenStep) {
    this.listing = listing
    this.step = step
  }

  find(): ReadonlySet<Line> {
    for (const block of this.listing.blocks) {
      if (!handles(block.text, this.step)) continue
      this.found.add(block)
      this.visitAll(block.children)
    }
    return this.found
  }

  /** Lines that show nothing of themselves are taken with those beside them. */
  private visitAll(lines: readonly Line[]): boolean {
    const visible = lines.filter((line) => this.isVisible(line))
    const taken = visible.filter((line) => this.visit(line)).length > 0
    for (const line of lines) {
      if (visible.includes(line) || !this.holds(line)) continue
      const isTaken = line.conditions.length > 0 || visible.length === 0 || taken
      if (isTaken) this.found.add(line)
    }
    return taken || lines.some((line) => this.found.has(line))
  }

  private isVisible(line: Line): boolean {
    return line.children.length > 0 || effectOf(line.text) !== null || this.calledBy(line) !== null
  }

  private visit(line: Line): boolean {
    if (!this.holds(line)) return false
    const called = this.calledBy(line)
    const taken =
      line.children.length > 0
        ? this.visitAll(line.children)
        : called === null
          ? shows(this.step, effectOf(line.text)!)
          : this.call(called)
    if (taken) this.found.add(line)
    return taken
  }

  private call(procedure: Line): boolean {
    if (this.visited.includes(procedure) || !this.holds(procedure)) return false
    this.visited.push(procedure)
    const taken = this.visitAll(procedure.children)
    this.visited.pop()
    if (taken) this.found.add(procedure)
    return taken
  }

  private holds({ conditions }: Line): boolean {
    return conditions.every((any) => any.some((condition) => meets(this.step, condition)))
  }

  /** The procedure that a line calls: “follow p” calls “follow”. */
  private calledBy({ text, children }: Line): Line | null {
    if (children.length > 0) return null
    const words = statementOf(text)
    if (words.includes('←') || words.startsWith('send ')) return null
    const called = this.listing.blocks.filter((block) => {
      const name = procedureOf(block.text)
      return name !== null && new RegExp(`^${name}(?:$|[ ,])`, 'u').test(words)
    })
    return called.sort((a, b) => b.text.length - a.text.length)[0] ?? null
  }
}

/** The name of a procedure: up to its colon. */
function procedureOf(text: string): string | null {
  return text.startsWith('procedure ') ? text.slice(10).split(':')[0] : null
}

/** Whether a block handles the event of a step: `on receive election, elected from p: …`. */
function handles(text: string, { kind, event }: TakenStep): boolean {
  const words = text.split(':')[0]
  if (kind === 'deliver') return listed(words, 'receive').includes(event)
  if (kind === 'timeout') return listed(words, 'timeout').includes(event)
  if (kind === 'drawn') return listed(words, 'draw').includes(event)
  return words === `on ${kind}` || words === `on ${kind} p`
}

/** The names in `on receive a(x), b from p`, without their values. */
function listed(words: string, verb: string): string[] {
  if (!words.startsWith(`on ${verb} `)) return []
  const names = words
    .slice(verb.length + 4)
    .replaceAll(/\([^)]*\)/gu, '')
    .replace(/ (?:from p|of round k from p|k)$/u, '')
  return names.split(', ')
}

/** What a line does, without the condition before it. */
function statementOf(text: string): string {
  return text.replace(/^(?:else if .*?|if .*?|else): /u, '')
}

type Effect =
  { readonly sends: readonly string[] } | { readonly field: string; readonly value: string }

/** What a step shows if it took this line; null: nothing. */
export function effectOf(text: string): Effect | null {
  const words = statementOf(text)
  const sending = /^send ([\w?]+(?:(?:, | or )[\w?]+)*)/u.exec(words)
  if (sending !== null) return { sends: sending[1].split(/, | or /u) }
  const setting = /^(\w+)(?:\[.*?\])? ← (.*)$/u.exec(words)
  return setting === null ? null : { field: setting[1], value: setting[2] }
}

function shows(step: TakenStep, effect: Effect): boolean {
  if ('sends' in effect) return step.sendings.some(({ type }) => effect.sends.includes(type))
  const { field, value } = effect
  const change = step.changes.find((one) => one.field === field)
  if (change === undefined) return false
  const isName =
    field === 'status' ||
    field === 'calling' ||
    ['me', 'none', '∅', 'yes', 'no', '0'].includes(value)
  return isName ? is(change.after, value, step) : !is(change.after, 'none', step)
}

/** Whether a value is what a listing calls it: me, none, the peer of the step, another member, or a name. */
function is(value: string, name: string, { node, peer }: TakenStep): boolean {
  const isNone = value === '-' || value === '0'
  if (name === 'me') return value === String(node)
  if (name === 'peer') return value === String(peer)
  if (name === 'none') return isNone
  if (name === 'other') return !isNone && value !== String(node)
  if (name === '∅') return value === '{}' || value === '[]' || value === '-'
  if (name === 'yes') return value === 'true' || value === 'yes'
  if (name === 'no') return value === 'false' || value === 'no'
  return value === name
}

/** `!`: not; `sends:T`; `waits:T`, a timer that is set now; `quiet`: shows nothing; `sends.uid=me`: sends its own number; `F`: the field changed; `F=v`, `F!=v`: to that value; `F:v`: from it. */
function meets(step: TakenStep, condition: string): boolean {
  if (condition.startsWith('!')) return !meets(step, condition.slice(1))
  if (condition === 'quiet') return step.changes.length === 0 && step.sendings.length === 0
  if (condition.startsWith('sends:'))
    return step.sendings.some(({ type }) => type === condition.slice(6))
  if (condition.startsWith('waits:')) {
    return step.waits?.timers.some(([name]) => name === condition.slice(6)) ?? false
  }
  if (condition === 'sends.uid=me')
    return /uid=(\d+)/u.exec(step.why.split('; sends ')[1] ?? '')?.[1] === String(step.node)
  const [, field, sign, value] = /^(\w+)(!=|=|:)?(.*)$/u.exec(condition)!
  const change = step.changes.find((one) => one.field === field)
  if (change === undefined) return false
  if (sign === undefined) return true
  if (sign === ':') return is(change.before, value, step)
  return is(change.after, value, step) === (sign === '=')
}
