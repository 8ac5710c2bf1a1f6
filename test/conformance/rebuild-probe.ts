/**
 * An algorithm that checks duty 12 of src/core/host-contract.ts: each event goes to the handlers of the group that the
 * member's configuration describes. Member 1 leads, writes what it is asked to write, and tells member 2 on each tick.
 */
import { algorithm, period, type Algorithm } from '../../src/core/algorithm.ts'
import type { Configuration } from '../../src/core/configuration.ts'
import { Group, type Timing } from '../../src/core/group.ts'
import type { NodeId } from '../../src/core/node-id.ts'
import { NodeSet } from '../../src/core/node-set.ts'
import {
  flag,
  int,
  node,
  oneOf,
  record,
  stable,
  text,
  union,
  type Infer,
} from '../../src/core/schema.ts'
import { timingOfData } from '../../src/sim/members/configurations.ts'

const MOST = 10_000

export class RebuildProbe {
  readonly breaches: string[] = []
  /** What the run exercised. */
  readonly met = { starts: 0, changed: 0, adopted: 0, ticks: 0 }
  readonly algorithm: Algorithm
  private readonly timing: Timing

  /** `timing`: that of the first configuration. */
  constructor(timing: Timing) {
    this.timing = timing
    this.algorithm = this.probe()
  }

  /** The group that a configuration describes: `data` names its period. */
  groupOf(data: string): Group {
    return new Group(2, timingOfData(data, this.timing))
  }

  private probe(): Algorithm {
    const version = int(0, MOST)
    const data = text(40)
    const state = record({
      status: oneOf('Norm'),
      leader: node,
      term: stable(version),
      version: stable(version),
      data: stable(data),
      ticking: flag,
    })
    type State = Infer<typeof state>
    const voters = NodeSet.of(1, 2)
    return algorithm({
      name: 'rebuild-probe',
      title: 'an algorithm that checks for which group it was built',
      state,
      messages: union({ config: { version, data } }),
      timers: { tick: period },
      promises: { agreement: 'eventually', leader: 'any', termsRise: true },
      assumes: { crashes: true, recoveries: true, loss: true, synchrony: false },
      handlers: (group) => {
        const check = (s: State, event: string): void => {
          const due = timingOfData(s.data, this.timing).periodMs
          const built = group.timing.periodMs
          if (built !== due) this.breaches.push(`${event} for a period of ${built} ms, not ${due}`)
        }
        return {
          start: (s, out) => {
            check(s, 'start')
            this.met.starts += 1
            if (s.ticking) this.breaches.push('start after a start')
            s.leader = 1
            s.ticking = true
            out.set('tick', 5)
          },
          message: (s, _from, m) => {
            check(s, 'message')
            if (m.version <= s.version) return
            this.met.adopted += 1
            s.version = m.version
            s.data = m.data
          },
          timeout: (s, _timer, out) => {
            check(s, 'timeout')
            this.met.ticks += 1
            if (!s.ticking) this.breaches.push('the state was not kept')
            out.set('tick', 5)
            const peer: NodeId = 3 - out.me
            if (out.me === 1) out.send(peer, { type: 'config', version: s.version, data: s.data })
          },
          change: (s, wanted) => {
            check(s, 'change')
            if (s.leader !== 1) return
            this.met.changed += 1
            s.version += 1
            s.data = wanted.data
          },
          changeRefusal: () => '',
          configuration: (s): Configuration => ({
            term: Math.min(1, s.version),
            version: s.version,
            voters,
            observers: new NodeSet(),
            data: s.data,
            committed: true,
          }),
          settled: () => undefined,
        }
      },
    })
  }
}
