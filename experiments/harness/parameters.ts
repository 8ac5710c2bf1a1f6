/**
 * The settings of the experiments, each marked: published in a document, assumed by us where the documents are silent, or
 * fitted to a published figure. The experiments read their values here, and the report prints this table.
 */
export type Mark = 'published' | 'assumed' | 'fitted'

interface Parameter {
  readonly value: number | readonly number[]
  readonly mark: Mark
  /** What it is, with its unit, and where it comes from. */
  readonly about: string
}

const parameter = <T extends Parameter['value']>(mark: Mark, value: T, about: string) => {
  return { value, mark, about }
}

export const PARAMETERS = {
  tm: parameter(
    'assumed',
    1,
    'ms, Tm: every message takes exactly so long; the unit of the times of 000, 001, 002, 004',
  ),
  bound: parameter('assumed', 4, 'Tm, the bound from which 000’s To = 10·Tm follows'),
  tp: parameter('assumed', 0.1, 'Tm, Tp where 000’s To/Tp is swept'),
  handling: parameter('assumed', [0, 0.1, 0.5, 1], 'Tm, Tp of an answer'),
  handled: parameter('assumed', [0.1, 0.5, 1], 'Tm, Tp where known dead nodes are handled'),
  sizes000: parameter(
    'assumed',
    [6, 10, 20, 40],
    'N; Nf = 2, N/3, N/2; half of the dead, rounded up, are the strongest: k = ⌈Nf/2⌉ + 1',
  ),
  signalSizes: parameter('assumed', [6, 10, 20, 40], 'N; Nf = N/2, all of them listed'),
  listed: parameter(
    'assumed',
    [0, 0.5, 1],
    'p, the share of the dead that all detectors list, rounded down: first the leader that failed, then node 2, the weakest that is dead, then by turns the next from above and from below. So at p = ½ a dead junior is always missing',
  ),
  signal: parameter(
    'assumed',
    [0.001, 0.01, 0.1, 1],
    'Tm, Ts: a signal between a node and its detector',
  ),
  superiors: parameter('assumed', 12, 'the most dead superiors of the next leader'),
  knownDead: parameter('assumed', [1, 2, 4, 8], 'known dead superiors'),
  bounds000: parameter(
    'assumed',
    [2, 4, 8, 16, 32],
    'Tm, the bounds from which To follows where To/Tp is swept; N = 16, Nf = 8',
  ),
  churnEvery: parameter(
    'assumed',
    [8, 4, 2, 1],
    's, mean time between two crashes or recoveries of ten members; 6 seeds',
  ),
  churnTo: parameter('assumed', 60, 'ms, To in runs with frequent failures'),
  churnSeconds: parameter('assumed', 120, 's, the length of such a run'),
  watchers: parameter(
    'assumed',
    [10, 100],
    'members of a group whose detectors are measured, and crashes of the one that is watched',
  ),
  askedAfter: parameter(
    'assumed',
    [0.5, 20],
    'ms after the recovery of a node when a list is asked about it',
  ),
  period: parameter('assumed', 100, 'ms, τ: the period of detectors and leaders'),
  calm: parameter('assumed', [1, 5], 'ms, the least and greatest time of a message, uniform'),
  jitter: parameter(
    'assumed',
    [2, 0.6],
    'median in ms and σ of a lognormal latency; Tm is its 99.9 %',
  ),
  sizes001: parameter('assumed', [4, 7, 10, 16, 24], 'n; the f = 1, n/3, n/2 strongest are dead'),
  known001: parameter(
    'assumed',
    [0, 0.5, 1],
    'the share of these f dead that all detectors list, rounded down; the strongest first',
  ),
  groups001: parameter(
    'assumed',
    [6, 10, 16],
    'n; where messages are sent one after the other, To follows from n − 1 of them',
  ),
  ranks001: parameter(
    'assumed',
    [2, 3, 5],
    'k, counted from the strongest: the k − 1 strongest are dead',
  ),
  listed001: parameter(
    'assumed',
    [0, 1, 2, 3, 4],
    'l, how many of the k − 1 dead are listed: to k − 2, the strongest of those between node 1, the leader, and k; all k − 1 where the page says so',
  ),
  timeOuts001: parameter('assumed', [20, 40, 80], 'Tm, To of the Bully with multicast: To ≫ Tm'),
  bounds001: parameter(
    'assumed',
    [8, 16, 32],
    'Tm, the bounds from which To = 20, 40, 80·Tm of Bully_FD with multicast follow: To ≫ Tm',
  ),
  churnSizes: parameter(
    'assumed',
    [8, 16, 32, 64, 128],
    'n; 24 crashes and recoveries of the three strongest, one a second',
  ),
  comesBack: parameter(
    'assumed',
    [60, 3, 8],
    'ms after its crash up to which the strongest comes back; the smallest and the greatest group',
  ),
  schedules: parameter(
    'assumed',
    600,
    'random schedules of crashes and recoveries of two to five processes',
  ),
  mixed: parameter('assumed', [8, 40], 'members, and elections with other seeds'),
  outOfBound: parameter(
    'assumed',
    [1, 5, 20],
    'ms, the bound that the algorithm is told, and the least and greatest time of a message',
  ),
  sizes002: parameter('assumed', [3, 4, 5, 8, 12, 16, 24, 32, 48, 64], 'N'),
  sizes004: parameter('assumed', [4, 8, 16, 32, 64, 128], 'n'),
  actionSizes: parameter(
    'assumed',
    [3, 4, 5, 6, 7, 8],
    'n, where actions 1 to 4 of 004 stand alone',
  ),
  actionTimeOuts: parameter(
    'assumed',
    [1, 2, 3],
    'times 2·Tm and 4·Tm, the shortest time-outs of an answer and of victory, where actions 1 to 4 of 004 stand alone: 004 says “a certain amount of time”',
  ),
  late: parameter(
    'assumed',
    20,
    'times the bound of 5 ms: the longest message of 002’s asynchronous system, a group of five',
  ),
  t1: parameter('assumed', 2, 'Tm, the shortest time-out that an answer needs'),
  victory: parameter(
    'assumed',
    4,
    'Tm, how long a process that was answered waits for the announcement of a coordinator',
  ),
  noticed: parameter(
    'assumed',
    20,
    'ms from a crash until it is noticed, where no detector is named',
  ),
  backAfter: parameter(
    'assumed',
    [20, 100, 500, 2000, 5000],
    'ms after its crash when a candidate of 003 is back; 40 elections for each',
  ),
  answers002: parameter('assumed', 2.5, 'Tm, the time-out for an Answer beside it'),
  t2: parameter(
    'published',
    5,
    'Tm, the time-out for a Coordinator message (002 “Failures and Timeouts”)',
  ),
  members: parameter('assumed', 3, 'members of a group that the checker explores'),
  threshold: parameter(
    'published',
    0.85,
    'launch threshold (003 §2.2, §2.4), 0.9 where a claim says so',
  ),
  consecutive: parameter(
    'published',
    3,
    'numbers in a row (003 §2.2, “The modified algorithm”), another number where a claim says so',
  ),
  nodes: parameter('published', 5, 'nodes (003 §2.1, §2.5)'),
  drawMs: parameter(
    'fitted',
    1.108,
    'ms between two draws: fitted to 385 ms for three numbers in a row (003 §2.4)',
  ),
  answersMs: parameter(
    'fitted',
    25,
    'ms, the time-out for answers: fitted to the gain of 19 ms of 003 Fig. 4 over Fig. 3',
  ),
  otherAnswers: parameter('assumed', [10.1, 50], 'ms, that time-out in the sensitivity table'),
  detectionMs: parameter('assumed', 20, 'ms from the crash of a leader until it is noticed (003)'),
  drawers: parameter(
    'assumed',
    4,
    'nodes that draw: the survivors of a crashed leader (003 does not say how an election began)',
  ),
  otherDrawers: parameter('assumed', [3, 5], 'nodes that draw in the sensitivity table'),
  firstMs: parameter('published', 100, 'ms, the first of a launch (003 §2.4)'),
  windows: parameter(
    'assumed',
    [1, 2, 5, 10, 13.5, 20],
    'ms, the time of a message where votes may split (003 Fig. 5)',
  ),
  elections003: parameter(
    'assumed',
    [2000, 400, 500, 20_300],
    'simulated elections of a form, of another setting, of each other seed; of each number of drawers where extremes are measured: 40 times 500, and some more, since a few never end',
  ),
  detections: parameter('assumed', [0, 20, 50, 100], 'ms of detection in the sensitivity table'),
  slowMessages: parameter(
    'assumed',
    [5, 20],
    'ms, uniform: slow messages of the sensitivity table',
  ),
  larger: parameter('assumed', [5, 9, 17, 33, 65], 'nodes; 100 elections for each'),
  largerLatency: parameter(
    'assumed',
    [3, 0.8],
    'median in ms and σ of a lognormal latency in larger networks',
  ),
  raftMessage: parameter(
    'assumed',
    [5, 6],
    'ms, every message beside Raft, and the bound that members know; 1,000 elections each',
  ),
  rareDraws: parameter(
    'assumed',
    [4, 20],
    'numbers in a row and ms between draws, so that hardly ever two launch at once',
  ),
  raftDefault: parameter('assumed', 5, 'round trips, the same where it is not swept'),
  checkedNumbers: parameter(
    'assumed',
    [3, 2],
    'numbers that the checker lets a node draw, and how many of them launch; one is enough',
  ),
  caseNumbers: parameter(
    'assumed',
    [10, 6],
    'the greatest number of a case study, and the threshold; one number is enough',
  ),
  raftTimeout: parameter(
    'assumed',
    [2, 4, 7, 12, 25],
    'round trips, the shortest election time-out of Raft; the longest is twice that',
  ),
  rings: parameter('assumed', 300, 'random rings of each size'),
  uids: parameter(
    'assumed',
    [3, 17, 4, 24, 9, 1, 15, 28],
    'the ring of 004’s example: only 17 and 24 are in the text',
  ),
  processes: parameter(
    'assumed',
    [10, 50, 150, 200],
    'ms, bound of a message, period, detection and lease on real processes',
  ),
} as const satisfies Record<string, Parameter>

export type ParameterName = keyof typeof PARAMETERS

/** The first row is the head. */
export function parameterRows(names: readonly ParameterName[], seed: number): string[][] {
  const rows = names.map((name) => {
    const { value, mark, about }: Parameter = PARAMETERS[name]
    return [`\`${name}\``, [value].flat().join(', '), mark, about]
  })
  const own = ['`seed`', String(seed), 'assumed', 'the seed of the simulator’s random numbers']
  return [['parameter', 'value', 'mark', 'what it is'], ...rows, own]
}

export const ALL_PARAMETERS = Object.keys(PARAMETERS) as ParameterName[]
