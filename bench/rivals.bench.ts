/** Measures failover after `kill -9` of bellwether, of bare sockets, of npm packages and of locks on four servers, in one run. */
import { row, type Entry, type Row, type Scale } from './harness.ts'
import { ADVISORY, LIMIT, QUORUM } from './rivals/rivals.ts'
import { otherRivals, QUICK_RIVALS, standings, type Standing } from './rivals/standings.ts'
import { median } from './support/failover.ts'

const TIMES = { tiny: 1, quick: 10, full: 30 }

/** The median until all survivors know, or where they cannot know, until the next one leads. */
function medianOf({ rival, failovers }: Standing): number {
  return median(failovers.map(({ first, all }) => (rival.observes ? all : first)))
}

async function run(scale: Scale, progress: (text: string) => void = () => undefined) {
  const others = scale === 'tiny' ? [] : otherRivals()
  const members = scale === 'tiny' ? 3 : 5
  const rivals = { quick: QUICK_RIVALS, others }
  return rowsOf(await standings(rivals, members, TIMES[scale], progress))
}

function rowsOf(all: readonly Standing[]): Row[] {
  const limit = medianOf(all.find(({ rival }) => rival === LIMIT)!)
  const bounds = new Map([
    [ADVISORY, 1.5],
    [QUORUM, 2],
  ])
  return all.flatMap((standing) => {
    const { rival, failovers } = standing
    const known = rival.observes ? 'all know' : 'the next leads'
    const value = medianOf(standing)
    const max = bounds.get(rival)
    return [
      row(rival.name, value, 'ms', { note: `to ${known}; ${rival.how}` }),
      row(`${rival.name}, worst of ${failovers.length}`, worst(standing), 'ms'),
      row(`${rival.name}, processor time`, median(failovers.map(({ usedMs }) => usedMs)), 'ms', {
        note: 'of all survivors: on few cores they wait for each other',
      }),
      ...(rival === LIMIT
        ? []
        : [row(`${rival.name}, against the limit`, value / limit, '×', bounded(max))]),
    ]
  })
}

function bounded(max: number | undefined) {
  return max === undefined ? {} : { bound: { max } }
}

function worst({ rival, failovers }: Standing): number {
  return Math.max(...failovers.map(({ first, all }) => (rival.observes ? all : first)))
}

export default {
  name: 'rivals',
  describe: 'failover of bellwether beside bare sockets, npm packages and locks on servers',
  run,
} satisfies Entry
