/**
 * Keeps the configuration of a group whose algorithm counts no votes: the leader writes a change at once, and members
 * adopt the newest configuration that they hear of.
 *
 * A stamp is k·1024 + the seat of the writer, then a version. Versions rise with each change, so no writer gives a
 * stamp twice, and any two configurations are ordered, also those that two leaders wrote without hearing of each
 * other: then the smaller one is lost. k is the host's term of the leader (`era`), where it gives one: so a later
 * leader's configuration is newer than one that an earlier leader wrote and told nobody.
 */
import type { Change, ChangeRefusal, Configuration } from '../../core/configuration.ts'
import type { Group } from '../../core/group.ts'
import type { NodeId } from '../../core/node-id.ts'
import { counter, orNone, UNSHIFTED, type RecordOf } from '../../core/schema.ts'
import { MOST_VERSIONS, Register, type registerFields } from './register.ts'

type State = RecordOf<ReturnType<typeof registerFields>>

/** More seats than a group has. */
const STRIDE = 1024
/** Larger terms are not believed. */
const LAST_ERA = 2 ** 41

/** The first stamp of all is no multiple of another one, so the checker does not shift stamps. */
export const termOfWriter = orNone(counter(UNSHIFTED))

export class NewestConfiguration {
  readonly register: Register
  private readonly group: Group

  constructor(group: Group) {
    this.group = group
    this.register = new Register(group)
  }

  /** Why the leader may not write the change. No rule is about majorities. */
  refusal(s: State, change: Change): ChangeRefusal {
    const { voters, observers, data } = this.register.content(s)
    if (change.voters.size === 0) return 'no voter'
    if ([...change.voters].some((seat) => change.observers.has(seat))) return 'two roles'
    const added = [...change.voters].filter((seat) => !voters.has(seat))
    // A voter that has not caught up would cost an election.
    if (added.some((seat) => !observers.has(seat) || !s.confirmed.has(seat))) {
      return 'not caught up'
    }
    const isSame = change.voters.equals(voters) && change.observers.equals(observers)
    return isSame && change.data === data ? 'nothing changes' : ''
  }

  /** No majority is asked: a configuration counts as soon as a member has it. */
  configuration(s: State): Configuration {
    return { ...this.register.configuration(s), committed: true }
  }

  write(s: State, me: NodeId, change: Change): void {
    const { era = 0 } = change
    const k = Math.max(1, Math.floor(s.configTerm / STRIDE), era <= LAST_ERA ? era : 0)
    const term = k * STRIDE + me
    const content = { voters: change.voters, observers: change.observers, data: change.data }
    const isLast = s.configVersion > MOST_VERSIONS
    const configTerm = term >= s.configTerm && !isLast ? term : term + STRIDE
    const configVersion = isLast ? 1 : s.configVersion + 1
    this.register.adopt(s, { configTerm, configVersion, ...content })
  }

  /** The seats that the member's configuration does not name: they may have another one, or be removed. */
  others(s: State): NodeId[] {
    return [...this.group.everyone].filter((seat) => !this.register.isMember(s, seat))
  }
}
