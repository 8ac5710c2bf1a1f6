/** Tests what 004 (Hirata) claims of the algorithms on rings: messages of Chang and Roberts, of LeLann and of the ring with lists, a worked ring, and correctness. */
import { Random, type NodeId } from 'bellwether/core'
import type { Claim, Experiment, Findings, Run, Setup } from '../harness/claim.ts'
import { constant, elect, harmonic, observe, range, worldOf } from '../harness/elections.ts'
import { explore, exploreForAny, shownCheck } from '../harness/exploration.ts'
import { LoneMember } from '../harness/lone-member.ts'
import { PARAMETERS } from '../harness/parameters.ts'
import { line, linePlot, markers } from '../harness/plot.ts'
import { brief, estimate, exponent, mean, shownEstimate } from '../harness/statistics.ts'
import { fact, isMet } from '../harness/verdict.ts'

const PERFORMANCE = '004 §2 “Performance analysis”'
const PROPERTIES = '004 §2 “Safety & liveness properties”'
const QUOTED = '004 “References”, the quoted page of Chang and Roberts'
/** Its slides have no title in the text. */
const RING = '004 “Ring algorithm”, after “Fault tolerance”'
const sized = { parameters: ['sizes004', 'calm'] } as const

const CLAIMS = {
  worst: {
    id: '004-cr-worst',
    source: PERFORMANCE,
    claim:
      'With a single initiator the algorithm requires 3n − 1 sequential messages in the worst case.',
    published: '3n − 1',
    formula: '2n + d, d hops before the greatest UID: 3n − 1 at most',
    ...sized,
  },
  behind: {
    id: '004-cr-worst-place',
    source: PERFORMANCE,
    claim:
      'The worst case is that the initiator immediately follows the process with the greatest UID.',
    published: 'most there',
    formula: '2n + d, which is greatest for d = n − 1',
    parameters: ['calm'],
  },
  average: {
    id: '004-cr-average',
    source: QUOTED,
    claim: 'The algorithm requires O(n log n) message passes on the average.',
    published: 'O(n log n)',
    formula: 'n·Hₙ + n when all start, the n ELECTED included',
    tolerance: 0.05,
    parameters: ['sizes004', 'rings', 'calm'],
  },
  leLann: {
    id: '004-lelann-messages',
    source: QUOTED,
    claim: 'LeLann’s algorithm requires O(n²) messages.',
    published: 'proportional to n²: each number is passed to all other nodes',
    formula: 'n²',
    ...sized,
  },
  improves: {
    id: '004-cr-improves',
    source: QUOTED,
    claim: 'Chang and Roberts’ algorithm passes fewer messages on the average than LeLann’s.',
    published: 'O(n log n) against O(n²)',
    formula: 'n·Hₙ + n against n², fewer from n = 3 on',
    parameters: ['sizes004', 'rings', 'calm'],
  },
  example: {
    id: '004-cr-example',
    source: '004 §2 “Example of ring-based election in progress”',
    claim:
      'The election was started by process 17, and the highest UID found so far is 24; participants are shown darker.',
    published: '24 after a start of 17; whom step 3 makes a participant',
    formula: 'the same, on a ring with these two UIDs; the greatest UID wins after 2n + d messages',
    parameters: ['uids', 'tm'],
  },
  winner: {
    id: '004-cr-single-winner',
    source: PROPERTIES,
    claim:
      'When several processes start at roughly the same time, only a single winner is announced.',
    published: '1 winner',
    formula: '1 winner, if a participant does not start again (C-a)',
    parameters: ['calm'],
  },
  safety: {
    id: '004-cr-all-agree',
    source: PROPERTIES,
    claim:
      'A process receives an elected message with its own UID only if it is the greatest and all processes agree.',
    published: 'only then',
    formula: 'only then',
    parameters: ['calm'],
  },
  properties: {
    id: '004-cr-properties',
    source: `${PROPERTIES}, “Assumptions”`,
    claim:
      'Without failures the algorithm respects safety and liveness, in an asynchronous system.',
    published: 'safe and live',
    formula: 'every interleaving ends with the greatest UID',
  },
  participants: {
    id: '004-cr-discards',
    source: '004 §2, step 4.3',
    claim:
      'A participant that discards a smaller UID has already sent one at least as large as its own.',
    published: 'always',
    formula: 'always',
    parameters: ['calm'],
  },
  anySize: {
    id: '004-cr-any-number',
    source: '004 §2 “Chang and Robert algorithm”',
    claim: 'The algorithm works for any number of processes.',
    published: 'any number',
    formula: 'any number',
    parameters: ['calm'],
  },
  unknownSize: {
    id: '004-cr-size-unknown',
    source: '004 §2 “Chang and Robert algorithm”',
    claim: 'It does not require any process to know how many processes are in the ring.',
    published: 'not required',
    formula: 'not required: a process needs its neighbour and the order of UIDs',
  },
  intolerant: {
    id: '004-cr-fault-tolerance',
    source: '004 §2 “Fault tolerance”',
    claim: 'The algorithm is not fault tolerant.',
    published: 'not fault tolerant',
    formula: 'one crash blocks the printed text; numbered rounds and time-outs repair it',
    parameters: ['members'],
  },
  ring: {
    id: '004-ring-messages',
    source: `${RING}, “Performance”; 004 §1 “Election”`,
    claim: 'The ring algorithm needs 2n messages in the worst case.',
    published: '2n',
    formula: '2n for each election that is called; k at once 2n·k',
    parameters: ['calm'],
  },
} satisfies Record<string, Claim>

const SIZES = PARAMETERS.sizes004.value
const PRINTED = 'chang-roberts-as-printed'
const BOTH = [PRINTED, 'chang-roberts'] as const

function changRoberts(setup: Setup): Findings {
  const behind = BOTH.map((algorithm): Run => {
    const cases = SIZES.map((n) => {
      const { messages } = elect(setup, algorithm, { members: n, initiators: [1] })
      return { published: 3 * n - 1, measured: messages, formula: 3 * n - 1 }
    })
    return { algorithm, shown: `${cases.at(-1)!.measured} messages at n = ${SIZES.at(-1)}`, cases }
  })
  const n = 16
  const placed = BOTH.map((algorithm): Run => {
    const counts = range(0, n - 1).map(
      (d) => elect(setup, algorithm, { members: n, initiators: [n - d] }).messages,
    )
    return {
      algorithm,
      shown: `${counts.join(', ')} messages, d = 0 … 15 hops before the greatest UID`,
      cases: counts.map((count, d) => {
        return { published: { atMost: counts[n - 1] }, measured: count, formula: 2 * n + d }
      }),
    }
  })
  const means = SIZES.map((size) => meanOverRings(setup, size))
  const exact = range(2, 6).map((size) => exactMean(setup, size))
  const leLann = SIZES.map((size) => elect(setup, 'le-lann', { members: size }).messages)
  const last = SIZES.length - 1
  return {
    outcomes: {
      [CLAIMS.worst.id]: {
        runs: behind,
        figures: { messages: behind[0].cases[last].measured },
        why: 'Exact at every n measured. It is the worst case of a single initiator, as the text says; with all starting, falling UIDs cost n(n+1)/2 + n.',
      },
      [CLAIMS.behind.id]: {
        runs: placed,
        figures: { least: placed[0].cases[0].measured, most: placed[0].cases[n - 1].measured },
        why: 'A ring of sixteen. The message has to go all the way round to the process with the greatest UID, n − 1 hops, its UID replaced on the way, before that UID makes its own round.',
      },
      [CLAIMS.average.id]: {
        runs: [
          {
            algorithm: PRINTED,
            shown: `${shownEstimate(means[last].found)} messages at n = ${SIZES[last]} (n·Hₙ + n = ${brief(means[last].formula)}); exact over all rings of 2 to 6`,
            cases: [
              ...means.map(({ found, formula }) => {
                return { published: formula, measured: found.mean, margin: found.margin, formula }
              }),
              ...exact.map(({ measured, formula }) => ({ published: formula, measured, formula })),
            ],
          },
        ],
        figures: { mean: means[last].found.mean, margin: means[last].found.margin },
        why: 'O(n log n) is tested as n·Hₙ + n: the ELECTION with the k-th greatest UID travels n/k hops on the average, which sums to n·Hₙ; the announcement adds n.',
      },
      [CLAIMS.leLann.id]: {
        runs: [
          {
            algorithm: 'le-lann',
            shown: `${leLann[last].toLocaleString('en')} messages at n = ${SIZES[last]}`,
            cases: SIZES.map((size, i) => {
              return { published: size * size, measured: leLann[i], formula: size * size }
            }),
          },
        ],
        figures: { messages: leLann[last] },
        why: 'Each of n numbers makes n hops. Measured against n² itself, which is stricter than the text.',
      },
      [CLAIMS.improves.id]: {
        runs: [
          {
            algorithm: PRINTED,
            shown: `messages: ${brief(exact[1].measured)} against 9 at n = 3, ${SIZES.map(
              (size, i) => {
                return `${brief(means[i].found.mean)} against ${leLann[i].toLocaleString('en')} at n = ${size}`
              },
            ).join(', ')}`,
            cases: [
              // Over all rings of 3 to 6 processes, and over some of more.
              ...exact.slice(1).map(({ measured }, i) => {
                return { published: { below: (i + 3) ** 2 }, measured }
              }),
              ...means.map(({ found }, i) => {
                return { published: { below: leLann[i] }, measured: found.mean }
              }),
            ],
          },
        ],
        figures: { ratio: leLann[last] / means[last].found.mean },
        why: 'A number stops at the first greater one. All rings of 3 to 6 processes, and random ones of the sizes in the table of parameters.',
      },
    },
    plots: [
      linePlot({
        name: '004-chang-roberts',
        caption: `Messages of Chang and Roberts as printed when all start, on ${setup.samples(PARAMETERS.rings.value)} random rings for each size (bars: 95 % intervals, smaller than the markers), beside n·Hₙ + n; the worst case of one initiator; LeLann.`,
        title: '004: messages on a ring',
        x: { label: 'processes n', log: true },
        y: { label: 'messages of one election', log: true },
        series: [
          line('n·Hₙ + n', range(4, 128), (x) => [x, x * harmonic(x) + x]),
          markers('all start, mean', means, (m) => [m.size, m.found.mean, m.found.margin]),
          line('3n − 1', range(4, 128), (x) => [x, 3 * x - 1]),
          markers('one starts, worst', SIZES, (x, i) => [x, behind[0].cases[i].measured]),
          line('n²', range(4, 128), (x) => [x, x * x]),
          markers('LeLann', SIZES, (x, i) => [x, leLann[i]]),
        ],
      }),
    ],
  }
}

function meanOverRings(setup: Setup, size: number) {
  const counts = range(1, setup.samples(PARAMETERS.rings.value)).map((i) => {
    const ring = new Random(setup.seed * 100_003 + 1000 * size + i).permutation(size)
    return elect(setup, PRINTED, { members: size, ring }).messages
  })
  return { size, found: estimate(counts), formula: size * harmonic(size) + size }
}

/** Over every ring of so many. */
function exactMean(setup: Setup, size: number) {
  const counts = permutations(range(1, size - 1)).map(
    (rest) => elect(setup, PRINTED, { members: size, ring: [size, ...rest] }).messages,
  )
  return { measured: mean(counts), formula: size * harmonic(size) + size }
}

function permutations(of: readonly number[]): number[][] {
  if (of.length === 0) return [[]]
  return of.flatMap((first) =>
    permutations(of.filter((other) => other !== first)).map((rest) => [first, ...rest]),
  )
}

const UIDS: readonly number[] = PARAMETERS.uids.value
const rankOf = (uid: number): NodeId => UIDS.filter((other) => other <= uid).length

function workedRing(setup: Setup): Findings {
  const world = worldOf(setup, PRINTED, {
    members: UIDS.length,
    ring: UIDS.map(rankOf),
    initiators: [rankOf(17)],
    network: constant(PARAMETERS.tm.value),
  })
  const carried: number[] = []
  observe(world, {
    sent: ({ message: { type, ['uid']: uid } }) => {
      if (type === 'election') carried.push(UIDS.find((one) => rankOf(one) === uid)!)
    },
  })
  const rows = [['hop', 'the message carries', 'participants']]
  let isAsDrawn = false
  for (const hop of range(1, 8)) {
    world.runUntil(1000 * hop - 500)
    const participants = UIDS.filter((uid) => world.states[rankOf(uid)].status === 'participant')
    const now = carried[carried.length - 1]
    rows.push([String(hop), String(now), participants.join(', ')])
    if (hop === 5) isAsDrawn = now === 24 && participants.join() === '17,4,24,9,1'
  }
  world.runUntil(100_000)
  const [n, d] = [UIDS.length, UIDS.indexOf(28) - UIDS.indexOf(17)]
  const leaders = new Set(UIDS.map((uid) => world.states[rankOf(uid)].leader))
  const messages = world.messageCounts.sumOf('election')
  const isRight = leaders.size === 1 && leaders.has(rankOf(28))
  return {
    outcomes: {
      [CLAIMS.example.id]: {
        runs: [
          {
            algorithm: PRINTED,
            shown: `hop 5 carries ${rows[5][1]}, participants ${rows[5][2]}; in the end all record 28 after ${messages} messages`,
            cases: [
              fact(isAsDrawn, true),
              fact(isRight, true),
              { published: 2 * n + d, measured: messages, formula: 2 * n + d },
            ],
          },
        ],
        figures: { messages, winners: leaders.size },
        why: `The moment that the text describes occurs. The other UIDs of the drawing, which is not in the text, are chosen here.`,
      },
    },
    tables: [
      {
        caption: 'The worked ring of 004: 3 → 17 → 4 → 24 → 9 → 1 → 15 → 28 → 3, started by 17.',
        rows,
      },
    ],
  }
}

function ringProperties(setup: Setup): Findings {
  const subsets = range(1, 31).map((bits) => range(1, 5).filter((id) => bits & (1 << (id - 1))))
  const announced = (options: Readonly<Record<string, string>>): number[] =>
    subsets.map((initiators) => {
      const given = { members: 5, ring: [3, 1, 4, 5, 2], initiators, options }
      return (elect(setup, PRINTED, given).byType['elected'] ?? 0) / 5
    })
  const once = announced({})
  const calm = permutations([1, 2, 3, 4]).map((rest) =>
    explore(setup, PRINTED, { members: 5, ring: [5, ...rest], timers: 'async' }),
  )
  const states = calm.reduce((sum, one) => sum + one.states, 0)
  const crash = exploreForAny(setup, PRINTED, { crashes: 1 })
  const repaired = exploreForAny(setup, 'chang-roberts', { crashes: 1, recoveries: 1 })
  const sizes = [...range(1, 12), 33, 100]
  const elected = sizes.map((n) => {
    const ring = new Random(setup.seed + n).permutation(n)
    return elect(setup, PRINTED, { members: n, ring }).leader === n
  })
  const seen = electedMoments(setup)
  const others = [6, 50, 500]
  const one = (claim: Claim, shown: string, cases: Run['cases'], why: string) => ({
    [claim.id]: {
      runs: [{ algorithm: PRINTED, shown, cases }],
      figures: { met: cases.filter((one) => isMet(one)).length },
      why,
    },
  })
  return {
    outcomes: {
      ...one(
        CLAIMS.winner,
        `${Math.max(...once)} winner, for each of the ${subsets.length} sets of initiators of 5 processes`,
        once.map((count) => ({ published: 1, measured: count, formula: 1 })),
        'A participant swallows smaller UIDs. Here no participant starts an election; the slides do not say whether one may (C-a).',
      ),
      ...one(
        CLAIMS.safety,
        `${seen.returns} elected messages came back to their UID: it was the greatest and all agreed in ${seen.right}`,
        [{ published: seen.returns, measured: seen.right, formula: seen.returns }],
        'Random rings of three to ten processes, random initiators.',
      ),
      ...one(
        CLAIMS.participants,
        `${seen.discards} smaller UIDs were discarded; ${seen.sentBefore} of the participants had sent one at least as large as their own`,
        [{ published: seen.discards, measured: seen.sentBefore, formula: seen.discards }],
        'Random rings of three to ten processes, random initiators: the runs of `004-cr-all-agree`.',
      ),
      ...one(
        CLAIMS.anySize,
        `the greatest is elected on ${elected.filter(Boolean).length} of ${sizes.length} rings of 1 to 100 processes`,
        elected.map((isRight) => fact(isRight, true)),
        `All start, on one random ring of each of ${sizes.join(', ')} processes.`,
      ),
      ...one(
        CLAIMS.unknownSize,
        `process 3 does the same in rings of ${others.join(', ')} as in one of 5`,
        others.map((size) => fact(inRingOf(setup, size) === inRingOf(setup, 5), true)),
        'It starts, replaces, discards, forwards and leads; all that it sends and believes is compared.',
      ),
      [CLAIMS.properties.id]: {
        runs: [
          {
            algorithm: PRINTED,
            shown: `no violation on ${calm.filter(({ ok }) => ok).length} of the ${calm.length} rings of five (${states.toLocaleString('en')} states)`,
            cases: calm.map(({ ok }) => fact(ok, true)),
          },
        ],
        figures: { states },
        why: 'Checked for five processes that all start, on every ring, every order of messages. Nothing in the algorithm waits for a clock.',
      },
      [CLAIMS.intolerant.id]: {
        runs: [
          {
            algorithm: PRINTED,
            shown: `one crash: ${shownCheck(crash)}`,
            cases: [fact(!crash.ok, true)],
          },
          {
            algorithm: 'chang-roberts',
            reading: 'numbered rounds, time-outs',
            shown: `a crash and a recovery: ${shownCheck(repaired)}`,
            cases: [fact(!repaired.ok, false)],
            beside: true,
          },
        ],
        figures: { printed: Number(crash.ok), repaired: Number(repaired.ok) },
        why: 'The message is lost with the process that holds it. Stable round numbers, time-outs and a detector for the successor repair it: then the claim is no longer true.',
      },
    },
  }
}

/** What random runs show at the moments of which the text speaks. */
function electedMoments(setup: Setup) {
  const counts = { returns: 0, right: 0, discards: 0, sentBefore: 0 }
  for (const i of range(1, setup.samples(200))) {
    const random = new Random(setup.seed * 4001 + i)
    const members = 3 + random.below(8)
    const all = range(1, members)
    const world = worldOf(setup, PRINTED, {
      members,
      seed: i,
      ring: random.permutation(members),
      initiators: all.filter((id) => id === 1 || random.chance(0.5)),
    })
    const greatest = new Array<number>(members + 1).fill(0)
    observe(world, {
      sent: ({ from, message: { type, ['uid']: uid } }) => {
        if (type === 'election') greatest[from] = Math.max(greatest[from], uid as number)
      },
      step: (_at, step) => {
        if (step.kind !== 'deliver') return
        const uid = step.message['uid'] as number
        const { status } = world.states[step.node]
        if (step.message.type === 'elected' && uid === step.node) {
          counts.returns += 1
          if (uid === members && all.every((id) => world.states[id].leader === uid))
            counts.right += 1
        }
        if (step.message.type === 'election' && uid < step.node && status === 'participant') {
          counts.discards += 1
          if (greatest[step.node] >= step.node) counts.sentBefore += 1
        }
      },
    })
    world.runUntilQuiet(60_000_000)
  }
  return counts
}

/** What process 3 does in a ring of this size: it starts, replaces, discards, forwards and leads. */
function inRingOf(setup: Setup, size: number): string {
  const member = (): LoneMember => new LoneMember(setup.algorithm(PRINTED), 3, size)
  const election = (uid: number) => ({ type: 'election', uid })
  const elected = (uid: number) => ({ type: 'elected', uid })
  const leads = member().start().hears(2, election(1)).hears(2, election(3)).hears(2, elected(3))
  const follows = member().hears(2, election(1)).hears(2, election(5)).hears(2, elected(5))
  return JSON.stringify(
    [leads, follows].map(({ sent, state }) => [sent, state.status, state.leader]),
  )
}

function listRing(setup: Setup): Findings {
  const names = ['ring-as-printed', 'ring'] as const
  const sizes = [3, 5, 8, 16, 32, 64]
  const n = 12
  const several = range(1, n)
  const counted = names.map((algorithm) => {
    const single = sizes.map(
      (size) => elect(setup, algorithm, { members: size, initiators: [1] }).messages,
    )
    const bySeveral = several.map(
      (k) => elect(setup, algorithm, { members: n, initiators: range(1, k) }).messages,
    )
    const calm = sizes.map((size, i) => {
      return { published: 2 * size, measured: single[i], formula: 2 * size }
    })
    const shown = `one initiator: ${single.join(', ')} at n = ${sizes.join(', ')}`
    const each: Run = {
      algorithm,
      reading: 'for each election that is called',
      shown: `messages: ${shown}; ${n} initiators of ${n}: ${bySeveral.at(-1)! / n} each`,
      cases: [
        ...calm,
        ...bySeveral.slice(1).map((all, i) => {
          return { published: 2 * n, measured: all / (i + 2), formula: 2 * n }
        }),
      ],
    }
    const inAll: Run = {
      algorithm,
      reading: 'for all elections at once',
      shown: `messages: ${shown}; ${n} initiators of ${n}: ${bySeveral.at(-1)}`,
      cases: [
        ...calm,
        ...bySeveral.slice(1).map((all, i) => {
          return { published: 2 * n, measured: all, formula: 2 * n * (i + 2) }
        }),
      ],
    }
    return { each, inAll, bySeveral }
  })
  const growth = exponent(several.map((k, i) => [k, counted[0].bySeveral[i]]))
  return {
    outcomes: {
      [CLAIMS.ring.id]: {
        runs: counted.flatMap(({ each, inAll }) => [each, inAll]),
        figures: { single: 2 * 64, all: counted[0].bySeveral.at(-1)!, exponent: growth },
        why: 'Right of each election. By 004 §1 “the N processes can call N concurrent elections”: each of them sends a list of its own round twice, 2n·k in all.',
      },
    },
    plots: [
      linePlot({
        name: '004-ring',
        caption: `Messages of the ring algorithm with lists as printed, ${n} processes, by how many start at once.`,
        title: `004: messages of the ring algorithm, n = ${n}`,
        x: { label: 'initiators k' },
        y: { label: 'messages', min: 0 },
        series: [
          line('2n·k', several, (k) => [k, 2 * n * k]),
          markers('measured', several, (k, i) => [k, counted[0].bySeveral[i]]),
          line('published, 2n', several, (k) => [k, 2 * n]),
        ],
      }),
    ],
  }
}

const { worst, behind, average, leLann, improves, example } = CLAIMS
const { winner, safety, properties, participants, anySize, unknownSize, intolerant } = CLAIMS

export const ringExperiments: readonly Experiment[] = [
  {
    name: '004-chang-roberts',
    claims: [worst, behind, average, leLann, improves],
    measure: changRoberts,
  },
  { name: '004-worked-ring', claims: [example], measure: workedRing },
  {
    name: '004-properties',
    claims: [winner, safety, properties, participants, anySize, unknownSize, intolerant],
    measure: ringProperties,
  },
  { name: '004-ring', claims: [CLAIMS.ring], measure: listRing },
]
