/** Makes Bully_FD without one of its corrections, or with a shortcut that the errata warn of, from a list of edits for each. */
import type { Algorithm } from '../../src/core/algorithm.ts'
import { mutate, type Edit } from './mutate.ts'

const CORRECTIONS = {
  /** B1: Stage 2 does not count. */
  nextel: [['    s.nextel += 1\n', '']],
  /** B2: the incarnation is read as a constant. */
  incarn: [['s.incarn * ELECTIONS + s.nextel', 's.nextel']],
  /** B3: an Ack of any election counts. */
  ackT: [[`if (s.status !== 'Elec2' || !sameMark) return`, `if (s.status !== 'Elec2') return`]],
  /** B4: completion is tested on Ack only. */
  complete: [
    [`out.set('restart', restartMs)\n    complete(s, out)`, `out.set('restart', restartMs)`],
    ['s.downJuniors.add(peer)\n      complete(s, out)', 's.downJuniors.add(peer)'],
  ],
  /** B6: Elec1 asks once. */
  re1: [[`out.set('tau', askMs)\n    } else if`, '} else if']],
  /** B7: Stage 2 is not repeated. */
  re2: [[`    out.set('restart', restartMs)\n`, '']],
  /** B12: Stage 2 is repeated under the same id. */
  fresh: [
    [
      'leave(s, out)\n    s.nextel += 1',
      `if (s.status !== 'Elec2') s.nextel += 1\n    leave(s, out)`,
    ],
  ],
  /** B8: any Halt is followed. */
  prec: [
    [
      'if (!followsStronger) return follow',
      'if (followsStronger || !followsStronger) return follow',
    ],
  ],
  /** B8: a Halt that arrives too early is dropped instead of deferred. */
  pend: [['s.deferredFrom = from\n    s.deferredMark = mark\n    out.request', 'out.request']],
  /** B9 to B11: no Stage 3. */
  recheck: [
    [
      'if (register.superiors(s, out.me).length === 0) win(s, out)',
      'if (out.me > NONE) win(s, out)',
    ],
  ],
  /** B13: Norm? looks at the status only. */
  normAny: [
    [`s.status === 'Norm' && s.leader === from && m.mark === s.mark`, `s.status === 'Norm'`],
  ],
  /** B16: a member that is not Norm waits for the leader that asked, which answers NotNorm with Ldr at once. */
  joinRecheck: [
    [
      `if (!normal) out.send(from, { type: 'notNorm', mark: m.mark })`,
      `if (normal || ((s.status === 'Norm' || s.status === 'Wait') && group.outranks(s.head, from))) return
        leave(s, out)
        s.status = 'Wait'
        s.head = from
        s.mark = m.mark
        out.watch(from)
        out.send(from, { type: 'notNorm', mark: m.mark })`,
    ],
    [
      'if (s.leader === out.me && sameMark) stage1(s, out)',
      `if (s.leader === out.me && sameMark) out.send(from, { type: 'ldr', mark: s.mark, term: s.term })`,
    ],
  ],
} as const satisfies Record<string, readonly Edit[]>

export type Correction = keyof typeof CORRECTIONS

export function bullyFdWithout(correction: Correction): Promise<Algorithm> {
  return mutate('bully-fd', CORRECTIONS[correction], `bully-fd-without-${correction}`)
}
