/** Measures the times of 000 §3.2 in the simulator: an answer, an election of the Bully and of Bully_FD and their stages, and the difference of the two (equations 3.2 to 3.5). */
import { Group, type NodeId } from 'bellwether/core'
import { ping } from 'bellwether/detectors'
import type { Case, Claim, Experiment, Findings, Setup } from '../harness/claim.ts'
import { constant, electQuickly, observe, range, worldOf } from '../harness/elections.ts'
import { PARAMETERS } from '../harness/parameters.ts'
import { linePlot } from '../harness/plot.ts'
import { brief, shownTime } from '../harness/statistics.ts'

export const EFFICIENCY = '000 §3.2 “Efficiency Analysis”'
/** The simulator's Tm is a microsecond more than a message takes. */
const GRAIN = 0.002

const settings = { tolerance: GRAIN, parameters: ['tm', 'bound', 'sizes000', 'listed'] } as const

const CLAIMS = {
  answer: {
    id: '000-eq3.2',
    source: `${EFFICIENCY}, eq. 3.2`,
    claim: 'A node responds in Te = 2·Tm + Tp.',
    published: '2·Tm + Tp',
    formula: '2·Tm + Tp from the sending of a message until the answer arrives',
    tolerance: GRAIN,
    parameters: ['tm', 'handling'],
  },
  total: {
    id: '000-eq3.3',
    source: `${EFFICIENCY}, eq. 3.3`,
    claim: 'Garcia-Molina’s Bully takes T_GM = Nf·To + (N − Nf)·Te.',
    published: 'Nf·To + (N − Nf)·Te (Tp = 0)',
    formula:
      'Nf·To + (N − Nf − 1)·Te with sequential calls until k, which does not call itself, has checked the last node; NewCoordinator and Ready are 2(N − Nf − 1)·Te more; To + Tm as 000 §3.1 prints the Bully',
    ...settings,
  },
  elec1: {
    id: '000-eq3.3-superiors',
    source: `${EFFICIENCY}, eq. 3.3, first term`,
    claim: 'Node k takes (k − 1)·To to find that all nodes with higher priority have failed.',
    published: '(k − 1)·To',
    formula:
      '(k − 1)·To with sequential calls, k = ⌈Nf/2⌉ + 1 here; To as 000 §3.1 prints the Bully, which asks all at once',
    ...settings,
    parameters: ['tm', 'bound', 'sizes000'],
  },
  norm: {
    id: '000-eq3.3-juniors',
    source: `${EFFICIENCY}, eq. 3.3, second term`,
    claim: 'Node k takes (Nf − k + 1)·To + (N − Nf)·Te to check the nodes with lower priority.',
    published: '(Nf − k + 1)·To + (N − Nf)·Te',
    formula:
      '(Nf − k + 1)·To + (N − Nf − 1)·Te with sequential calls: k does not check itself, and 3(N − Nf − 1)·Te until it is in Norm; nothing as 000 §3.1 prints the Bully, which checks no weaker node',
    ...settings,
    parameters: ['tm', 'bound', 'sizes000'],
  },
  bullyFd: {
    id: '000-eq3.4',
    source: `${EFFICIENCY}, eq. 3.4`,
    claim: 'Bully_FD takes 2·N·Ts + p·Nf·Tp + (1 − p)·Nf·To + (N − Nf)·Te.',
    published: '(1 − p)·Nf·To + (N − Nf)·Te (Ts = Tp = 0)',
    formula:
      'as printed [To] + 5·Tm, and no end if a dead junior is not known; until k has checked all, [To] + To or 2·Tm; corrected [To] + max(2·Tm + [To], [To]) + Tm: whatever N and Nf',
    ...settings,
  },
  saving: {
    id: '000-eq3.5',
    source: `${EFFICIENCY}, eq. 3.5`,
    claim: 'Bully_FD saves p·Nf·(To − Tp) against Garcia-Molina’s Bully.',
    published: 'p·Nf·(To − Tp) (Tp = 0)',
    formula: 'the difference of our formulas of eq. 3.3 and 3.4',
    ...settings,
  },
  faster: {
    id: '000-faster',
    source: EFFICIENCY,
    claim:
      'Bully_FD is faster than Garcia-Molina’s Bully in processing time, since p·Nf·(To − Tp) > 0.',
    published: 'T_d > 0 where p > 0',
    formula:
      'as printed faster where every dead junior is listed; corrected faster than sequential calls in all of these settings, than the Bully of 000 §3.1 where To is not waited for',
    ...settings,
  },
} satisfies Record<string, Claim>

/** A message takes Tm. The bound that time-outs are made of is longer, so that To and Te differ. */
export const TM = PARAMETERS.tm.value
export const BOUND: number = PARAMETERS.bound.value
const TE = 2 * TM

export interface Setting {
  readonly n: number
  readonly dead: number
  /** How many of the dead are on every detector's list. */
  readonly known: number
  /** Which of them are listed first; none: the leader, then by turns from below and above. */
  readonly first?: 'juniors'
}

/** The dead in the order in which detectors learn of them. */
export function deadOf({ n, dead, first }: Setting): NodeId[] {
  const above = Math.ceil(dead / 2)
  const top = range(0, above - 1).map((i) => n - i)
  const bottom = range(2, dead - above + 1)
  if (first === 'juniors') return [...bottom, ...top]
  return range(0, above - 1).flatMap((i) => (i < bottom.length ? [top[i], bottom[i]] : [top[i]]))
}

/** The strongest live member notices that the leader failed. Every algorithm waits for the same To. */
export function took(setup: Setup, name: string, setting: Setting, bound = BOUND, tp = 0) {
  const { given, to } = given000(name, setting, bound, tp)
  const { ms, world } = electQuickly(setup, name, given)
  return { ms, to, world }
}

function given000(name: string, setting: Setting, bound: number, tp: number) {
  const down = deadOf(setting)
  const members = setting.n
  const to = timeOut(members, bound, tp)
  const given = {
    members,
    down,
    knownDown: down.slice(0, setting.known),
    initiators: [strongestUp(members, down)],
    detector: ping,
    network: constant(TM),
    processingUs: 1000 * tp,
    timing: {
      // The printed Bully waits for 2·Tm + Tp of its bound.
      messageMs: name === 'bully-as-printed' ? (to - tp) / 2 : bound,
      detectionMs: to,
      periodMs: Math.max(1000, 20 * to),
    },
    options: name === 'bully-as-printed' ? { form: '000' } : {},
  } as const
  return { given, to }
}

export function strongestUp(members: number, down: readonly NodeId[]): NodeId {
  return Math.max(...range(1, members).filter((id) => !down.includes(id)))
}

/** What the detector waits for an answer that does not come. */
export function timeOut(members: number, messageMs: number, processingMs: number): number {
  const timing = { messageMs, processingMs, detectionMs: 0, watchMs: 0, periodMs: 1000 }
  return ping.answerMs(new Group(members, timing))
}

const SETTINGS: readonly Setting[] = PARAMETERS.sizes000.value.flatMap((n) =>
  [...new Set([2, Math.floor(n / 3), Math.floor(n / 2)])].flatMap((dead) =>
    [...new Set(PARAMETERS.listed.value.map((p) => Math.floor(p * dead)))].map((known) => {
      return { n, dead, known }
    }),
  ),
)

/** What Bully_FD as shipped takes, and as printed. */
function formulaFd(setting: Setting, to: number) {
  const down = deadOf(setting)
  const unknown = down.slice(setting.known)
  const k = strongestUp(setting.n, down)
  const stage1 = unknown.some((id) => id > k) ? to : 0
  const isJuniorUnknown = unknown.some((id) => id < k)
  // A junior that is halted asks about its own leader first.
  const acks = 2 * TM + (unknown.includes(setting.n) ? to : 0)
  const corrected = stage1 + Math.max(acks, isJuniorUnknown ? to : 0) + TM
  return { corrected, printed: isJuniorUnknown ? NaN : stage1 + 5 * TM }
}

const NAMES = {
  printedBully: 'bully-as-printed',
  gm: 'garcia-molina',
  printedFd: 'bully-fd-as-printed',
  fd: 'bully-fd',
} as const
type Key = keyof typeof NAMES

function equations(setup: Setup): Findings {
  const ran = SETTINGS.map((setting) => {
    const { n, dead, known } = setting
    const to = timeOut(n, BOUND, 0)
    const keys = Object.keys(NAMES) as Key[]
    const ms = Object.fromEntries(
      keys.map((key) => [key, took(setup, NAMES[key], setting).ms]),
    ) as Record<Key, number>
    const own = formulaFd(setting, to)
    const formula = {
      printedBully: to + TM,
      gm: dead * to + 3 * (n - dead - 1) * TE,
      printedFd: own.printed,
      fd: own.corrected,
    }
    const published = { gm: dead * to + (n - dead) * TE, fd: (dead - known) * to + (n - dead) * TE }
    return { ...setting, to, ms, formula, published }
  })
  type Ran = (typeof ran)[number]
  const at = ran.find(({ n, dead, known }) => n === 10 && dead === 5 && known === 0)!
  const all = ran.find(({ n, dead, known }) => n === 10 && dead === 5 && known === 5)!
  const where = 'N = 10, Nf = 5, To = 10'
  const timed = (key: Key, published: 'gm' | 'fd') => ({
    algorithm: NAMES[key],
    shown: `${shownTime(at.ms[key])} at ${where}, p = 0, ${shownTime(all.ms[key])} at p = 1, where the equation says ${brief(at.published[published])} and ${brief(all.published[published])}`,
    cases: ran.map((r) => {
      return { published: r.published[published], measured: r.ms[key], formula: r.formula[key] }
    }),
  })
  const checked = {
    algorithm: 'garcia-molina',
    reading: 'until k has checked the last node',
    shown: `${shownTime(checkedAfter(setup, at).end)} at ${where}, where the equation says ${brief(at.published.gm)}`,
    cases: ran.map((r) => ({
      published: r.published.gm,
      measured: checkedAfter(setup, r).end,
      formula: r.dead * r.to + (r.n - r.dead - 1) * TE,
    })),
  }
  const saved = (fd: 'printedFd' | 'fd', bully: 'printedBully' | 'gm') => ({
    algorithm: NAMES[fd],
    reading: `against \`${NAMES[bully]}\``,
    shown: `p = 0: ${shownTime(at.ms[bully] - at.ms[fd])}, p = 1: ${shownTime(all.ms[bully] - all.ms[fd])} at ${where}, where the equation says 0 and 50`,
    cases: ran.map((r) => ({
      published: r.known * r.to,
      measured: r.ms[bully] - r.ms[fd],
      formula: r.formula[bully] - r.formula[fd],
    })),
  })
  const savedUntilChecked = (fd: 'printedFd' | 'fd') => {
    const until = (r: Ran): number => checkedAfter(setup, r).end
    return {
      algorithm: NAMES[fd],
      reading: 'against `garcia-molina` until k has checked the last node',
      shown: `p = 0: ${shownTime(until(at) - at.ms[fd])}, p = 1: ${shownTime(until(all) - all.ms[fd])} at ${where}, where the equation says 0 and 50`,
      cases: ran.map((r) => ({
        published: r.known * r.to,
        measured: until(r) - r.ms[fd],
        formula: r.dead * r.to + (r.n - r.dead - 1) * TE - r.formula[fd],
      })),
    }
  }
  // With p = 0 the equation claims no difference.
  const listed = ran.filter(({ known }) => known > 0)
  const isFaster = (fd: 'printedFd' | 'fd', bully: 'printedBully' | 'gm') => {
    const faster = listed.filter((r) => r.ms[fd] < r.ms[bully]).length
    return {
      algorithm: NAMES[fd],
      reading: `against \`${NAMES[bully]}\``,
      shown: `faster in ${faster} of ${listed.length} settings of N, Nf and p > 0`,
      cases: listed.map((r: Ran): Case => ({
        published: { below: r.ms[bully] },
        measured: r.ms[fd],
      })),
      faster,
    }
  }
  // As far as the equations go: k has checked every node, whether or not it leads then.
  const fdChecked = (r: Setting): number => fdCheckedAfter(setup, r)
  const untilChecked = 'until k has checked the last node'
  const fdUntilChecked = {
    algorithm: NAMES.printedFd,
    reading: untilChecked,
    shown: `${shownTime(fdChecked(at))} at ${where}, p = 0, ${shownTime(fdChecked(all))} at p = 1, where the equation says ${brief(at.published.fd)} and ${brief(all.published.fd)}`,
    cases: ran.map((r) => {
      return { published: r.published.fd, measured: fdChecked(r), formula: checkFormula(r, r.to) }
    }),
  }
  const bothUntilChecked = {
    algorithm: NAMES.printedFd,
    reading: `against \`garcia-molina\`, both ${untilChecked}`,
    shown: `p = 0: ${shownTime(checkedAfter(setup, at).end - fdChecked(at))}, p = 1: ${shownTime(checkedAfter(setup, all).end - fdChecked(all))} at ${where}, where the equation says 0 and 50`,
    cases: ran.map((r) => ({
      published: r.known * r.to,
      measured: checkedAfter(setup, r).end - fdChecked(r),
      formula: r.dead * r.to + (r.n - r.dead - 1) * TE - checkFormula(r, r.to),
    })),
  }
  const isMore = bothUntilChecked.cases.filter((one) => one.measured > one.published).length
  const groups = bothUntilChecked.cases.filter((_, i) => ran[i].known === 0)
  const inFull = bothUntilChecked.cases.filter((_, i) => ran[i].known === ran[i].dead)
  const mostlyConcurrent = groups.filter((one, i) => 2 * one.measured > inFull[i].measured).length
  const soonerChecked = listed.filter((r) => fdChecked(r) < checkedAfter(setup, r).end).length
  const fasterUntilChecked = {
    algorithm: NAMES.printedFd,
    reading: `against \`garcia-molina\`, both ${untilChecked}: no leader yet`,
    shown: `faster in ${soonerChecked} of ${listed.length} settings of N, Nf and p > 0`,
    cases: listed.map((r): Case => ({
      published: { below: checkedAfter(setup, r).end },
      measured: fdChecked(r),
    })),
    beside: true as const,
  }
  const juniorsFirst = ran
    .filter(({ known, dead }) => known > 0 && known < dead)
    .map((r) => {
      const ms = took(setup, NAMES.printedFd, { ...r, first: 'juniors' }).ms
      return { published: { below: r.ms.gm }, measured: ms, formula: r.to + 5 * TM }
    })
  const soonerJuniors = juniorsFirst.filter((one) => one.measured < one.published.below).length
  const fasterJuniors = {
    algorithm: NAMES.printedFd,
    reading: 'against `garcia-molina`, p = ½, the dead juniors listed before the dead superiors',
    shown: `faster in ${soonerJuniors} of ${juniorsFirst.length} settings of N and Nf`,
    cases: juniorsFirst,
    beside: true as const,
  }
  const stuck = ran.filter(({ ms }) => Number.isNaN(ms.printedFd)).length
  const comparisons = [
    isFaster('printedFd', 'gm'),
    isFaster('printedFd', 'printedBully'),
    isFaster('fd', 'gm'),
    isFaster('fd', 'printedBully'),
  ]
  return {
    outcomes: {
      [CLAIMS.total.id]: {
        runs: [
          { ...timed('printedBully', 'gm'), reading: 'form 000' },
          checked,
          { ...timed('gm', 'gm'), reading: 'until all follow k' },
        ],
        figures: {
          printed: at.ms.printedBully,
          checked: checked.cases.at(-1)!.measured,
          sequential: at.ms.gm,
        },
        why: 'The equation ends when k has checked the last node; there it is right but for one Te, since k does not check itself. The Bully that 000 §3.1 prints sends all its Elections at once and waits once. With Garcia-Molina’s sequential calls the time-outs are right; to the one round of calls that it counts, NewCoordinator and Ready come on top, each with its answer: 2(N − Nf − 1)·Te more.',
      },
      [CLAIMS.bullyFd.id]: {
        runs: [
          { ...timed('printedFd', 'fd'), reading: 'until all follow k' },
          fdUntilChecked,
          timed('fd', 'fd'),
        ],
        figures: { printedP1: all.ms.printedFd, printedStuck: stuck, p0: at.ms.fd, p1: all.ms.fd },
        why: `As printed, Bully_FD does not end in ${stuck} of the ${ran.length} settings: a dead junior that nobody knows of, which there is at p = 0 and at p = ½ here, leaves it in Elec2 (B4), although k has checked it. In no reading does the time depend on N and Nf in these groups: the text says “concurrently”, the equation adds time-outs one after the other.`,
      },
      [CLAIMS.saving.id]: {
        runs: [
          bothUntilChecked,
          savedUntilChecked('printedFd'),
          saved('printedFd', 'gm'),
          saved('printedFd', 'printedBully'),
          savedUntilChecked('fd'),
          saved('fd', 'gm'),
        ],
        figures: { p0: at.ms.gm - at.ms.fd, p1: all.ms.gm - all.ms.fd },
        why: `Until k has checked all, the saving as printed is larger than the equation says in ${isMore} of ${ran.length} settings, since asking concurrently saves, too, and needs no list: at p = 0, where the equation has none, it does not vanish, and in ${mostlyConcurrent} of ${groups.length} groups that is more than half of the saving at p = 1. In small groups most of it comes from the list. Corrected, too, what is listed decides how many of at most two time-outs remain.`,
      },
      [CLAIMS.faster.id]: {
        runs: [
          ...comparisons.map(({ faster: _faster, ...one }) => one),
          fasterUntilChecked,
          fasterJuniors,
        ],
        figures: Object.fromEntries(
          ['printedGm', 'printedPrinted', 'gm', 'printed'].map((name, i) => [
            name,
            comparisons[i].faster,
          ]),
        ),
        why: 'Where p = 0 the equation claims no difference. The processing time is the “total time taken from start leader election to finish it”: as printed Bully_FD finishes where every dead junior is on the list, and is then faster than sequential calls, whether or not the dead superiors are listed; with p = ½ in the table of parameters a dead junior is missing, and then it does not finish (B4), though k has checked all nodes sooner. That reading, “until k has checked the last node”, decides in `000-eq3.3`, `000-eq3.4`, `000-eq3.5` and `000-eq3.5-ratio`, whose equations count just these checks; it stands beside here, since this sentence speaks of the processing time, which the text defines to the end of the election. Corrected, Bully_FD is faster than sequential calls in all settings measured; against the Bully of 000 §3.1, which asks all at once and needs no Halt and Ack, it is faster only where the list spares it a time-out.',
      },
    },
    plots: [
      sizePlot(ran.filter(({ n, dead, known }) => dead === Math.floor(n / 2) && known === dead)),
      savingPlot(setup),
    ],
  }
}

interface Timed extends Pick<Setting, 'n'> {
  readonly ms: Readonly<Record<Key, number>>
  readonly published: Readonly<Record<'gm' | 'fd', number>>
}

function sizePlot(ran: readonly Timed[]) {
  const measured = (name: string, key: Key) => {
    return { name, points: ran.map((one) => [one.n, one.ms[key]] as const) }
  }
  return linePlot({
    name: '000-times',
    caption:
      'Time of an election when half of N are dead and all detectors know of them (p = 1), To = 10·Tm: equations 3.3 and 3.4, and measured.',
    title: '000 eq. 3.3 and 3.4: T_GM and T_Bully_FD, Nf = N/2, p = 1',
    x: { label: 'nodes N', min: 0 },
    y: { label: 'time of an election, Tm', log: true },
    series: [
      { name: 'eq. 3.3, Bully', points: ran.map((one) => [one.n, one.published.gm]) },
      measured('sequential calls', 'gm'),
      measured('Bully as printed', 'printedBully'),
      { name: 'eq. 3.4, Bully_FD', points: ran.map((one) => [one.n, one.published.fd]) },
      measured('Bully_FD as printed', 'printedFd'),
      measured('Bully_FD corrected', 'fd'),
    ],
  })
}

function savingPlot(setup: Setup) {
  const [n, dead] = [20, 10]
  const points = range(0, dead).map((known) => {
    const gm = took(setup, 'garcia-molina', { n, dead, known })
    const fd = took(setup, 'bully-fd', { n, dead, known })
    return { x: known / dead, measured: gm.ms - fd.ms, published: known * gm.to }
  })
  return linePlot({
    name: '000-saving',
    caption:
      'What Bully_FD, corrected, saves against sequential calls by the share p of the dead that are on the down list; N = 20, Nf = 10, To = 10·Tm: equation 3.5, and measured.',
    title: '000 eq. 3.5: the saving p·Nf·(To − Tp), N = 20, Nf = 10',
    x: { label: 'share of the dead that are known, p' },
    y: { label: 'time saved, Tm', min: 0 },
    series: [
      { name: 'eq. 3.5', points: points.map((p) => [p.x, p.published]) },
      { name: 'measured', points: points.map((p) => [p.x, p.measured]) },
    ],
  })
}

/** When the detector of k has answered about the last node, as Bully_FD is printed. */
export function fdCheckedAfter(setup: Setup, setting: Setting, bound = BOUND, tp = 0): number {
  const { given } = given000(NAMES.printedFd, setting, bound, tp)
  const [k] = given.initiators
  const world = worldOf(setup, NAMES.printedFd, given)
  let last = NaN
  observe(world, {
    step: (at, step) => {
      if ((step.kind === 'up' || step.kind === 'down') && step.node === k) last = at / 1000
    },
  })
  world.runUntil(1_000_000)
  return last
}

/** Stage 1 waits for To if a superior is not known to be dead; Stage 2 for an answer, or for To. */
function checkFormula(setting: Setting, to: number): number {
  const down = deadOf(setting)
  const unknown = down.slice(setting.known)
  const k = strongestUp(setting.n, down)
  const waits = (isOf: (id: NodeId) => boolean): boolean => unknown.some(isOf)
  return (waits((id) => id > k) ? to : 0) + (waits((id) => id < k) ? to : 2 * TM)
}

/** When k, with calls one after the other, began to check its juniors, and when it had checked the last. */
export function checkedAfter(setup: Setup, setting: Setting, bound = BOUND, tp = 0) {
  const { given, to } = given000('garcia-molina', setting, bound, tp)
  const k = strongestUp(setting.n, deadOf(setting))
  const world = worldOf(setup, 'garcia-molina', given)
  const first: Record<string, number> = {}
  observe(world, {
    sent: ({ from, message: { type } }) => {
      if (from === k) first[type] ??= world.now / 1000
    },
  })
  world.runUntil(1_000_000)
  return { to, superiors: first['halt'], end: first['newCoordinator'] }
}

function stages(setup: Setup): Findings {
  const ran = SETTINGS.filter(({ known, dead }) => known === dead).map((setting) => {
    const { n, dead } = setting
    const k = strongestUp(n, deadOf(setting))
    const { to, superiors, end } = checkedAfter(setup, setting)
    const printed = printedStages(setup, setting)
    const above = n - k
    return {
      to,
      elec1: { published: above * to, sequential: superiors, formula: above * to },
      untilNorm: {
        published: (dead - above) * to + (n - dead) * TE,
        measured: took(setup, 'garcia-molina', setting).ms - superiors,
        formula: (dead - above) * to + 3 * (n - dead - 1) * TE,
      },
      norm: {
        published: (dead - above) * to + (n - dead) * TE,
        sequential: end - superiors,
        formula: (dead - above) * to + (n - dead - 1) * TE,
      },
      k: above + 1,
      printed,
    }
  })
  const last = ran.at(-1)!
  const where = `N = 40, Nf = 20, k = ${last.k}`
  const outcome = (key: 'elec1' | 'norm', why: string) => ({
    runs: [
      {
        algorithm: 'garcia-molina',
        shown: `${brief(last[key].sequential)} Tm at ${where}, where the equation says ${brief(last[key].published)}`,
        cases: ran.map((r) => {
          return {
            published: r[key].published,
            measured: r[key].sequential,
            formula: r[key].formula,
          }
        }),
      },
      {
        algorithm: 'bully-as-printed',
        reading: 'form 000',
        shown: `${brief(last.printed[key])} Tm at ${where}`,
        cases: ran.map((r) => ({
          published: r[key].published,
          measured: r.printed[key],
          formula: key === 'elec1' ? r.to : 0,
        })),
      },
    ],
    figures: { sequential: last[key].sequential, printed: last.printed[key] },
    why,
  })
  const checks = outcome(
    'norm',
    'The term is read from when k turns to its juniors until it has checked the last one: the text calls it “checking”, and counts one round of calls. It also calls it the time from Elec1 to Norm; until then NewCoordinator and Ready take 2(N − Nf − 1)·Te more. Exact for calls one after the other, which use no list (all the dead are listed here), but for one Te, since there are N − Nf − 1 other live nodes: within a fifth in these groups. The Bully that 000 §3.1 prints has no such stage: k announces itself when its time-out elapses, and checks no junior before.',
  )
  return {
    outcomes: {
      [CLAIMS.elec1.id]: outcome(
        'elec1',
        'Until k turns to its juniors. Half of the Nf dead, rounded up, are above k: with k counted from the strongest, as in 000, these are its k − 1 superiors. Exact for calls one after the other, which use no list: all the dead are listed here. The Bully that 000 §3.1 prints “sends an ELECTION message to all processes with higher numbers” and waits once, until k announces itself.',
      ),
      [CLAIMS.norm.id]: {
        ...checks,
        runs: [
          { ...checks.runs[0], reading: 'until k has checked the last node' },
          ...checks.runs.slice(1),
          {
            algorithm: 'garcia-molina',
            reading: 'until k is in Norm and all follow it',
            shown: `${brief(last.untilNorm.measured)} Tm at ${where}, where the equation says ${brief(last.untilNorm.published)}`,
            cases: ran.map(({ untilNorm }) => untilNorm),
          },
        ],
      },
    },
  }
}

/** As 000 §3.1 prints the Bully: until the time-out of k elapses, and from then until it announces itself. */
function printedStages(setup: Setup, setting: Setting) {
  const { given } = given000(NAMES.printedBully, setting, BOUND, 0)
  const [k] = given.initiators
  const world = worldOf(setup, NAMES.printedBully, given)
  let [elapsed, announced] = [NaN, NaN]
  observe(world, {
    step: (at, step) => {
      if (step.kind === 'timeout' && step.node === k && Number.isNaN(elapsed)) elapsed = at / 1000
    },
    sent: ({ from, message: { type } }) => {
      if (from === k && type === 'coordinator' && Number.isNaN(announced))
        announced = world.now / 1000
    },
  })
  world.runUntil(1_000_000)
  return { elec1: elapsed, norm: announced - elapsed }
}

/** A question to a member that is up, in a network where every message takes exactly Tm. */
function answers(setup: Setup): Findings {
  const answered = (name: string, question: string, answer: string, tp: number): number => {
    const world = worldOf(setup, name, {
      members: 2,
      initiators: [name === 'garcia-molina' ? 2 : 1],
      network: constant(TM),
      processingUs: 1000 * tp,
      options: name === 'bully-as-printed' ? { form: '000' } : {},
    })
    const sent: Record<string, number> = {}
    observe(world, { sent: ({ message: { type } }) => (sent[type] ??= world.now / 1000) })
    world.runUntil(100_000)
    return sent[answer] - sent[question] + TM
  }
  const tps = PARAMETERS.handling.value
  const measuredOn = (algorithm: string, question: string, answer: string) => {
    const cases = tps.map((tp) => {
      const expected = 2 * TM + tp
      return {
        published: expected,
        measured: answered(algorithm, question, answer, tp),
        formula: expected,
      }
    })
    const shown = tps.map((tp, i) => `${brief(cases[i].measured)} Tm at Tp = ${tp}`).join(', ')
    return { algorithm, shown, cases }
  }
  const runs = [
    { ...measuredOn('bully-as-printed', 'election', 'ok'), reading: 'form 000' },
    measuredOn('garcia-molina', 'halt', 'answer'),
  ]
  return {
    outcomes: {
      [CLAIMS.answer.id]: {
        runs,
        figures: { tp1: runs[0].cases.at(-1)!.measured },
        why: 'Two nodes. There, handled, and back: measured from the sending of the question until that of the answer; the last Tm, which each message takes here, is added. Who asked needs Tp once more to handle the answer, which is no part of the response.',
      },
    },
  }
}

const { total, bullyFd, saving, faster, elec1, norm } = CLAIMS

export const timeExperiments: readonly Experiment[] = [
  { name: '000-answer', claims: [CLAIMS.answer], measure: answers },
  { name: '000-equations', claims: [total, bullyFd, saving, faster], measure: equations },
  { name: '000-stages', claims: [elec1, norm], measure: stages },
]
