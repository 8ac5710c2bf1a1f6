/** A naive canonical form of a state, as a string: ids renamed, counters shifted, unrecoverable members alike. */
import type { AnyMessage } from '../../src/core/algorithm.ts'
import { numberedMembers, type RecordSchema } from '../../src/core/schema.ts'
import type { Stepper } from '../../src/sim/stepper/stepper.ts'

export interface ReferenceState extends Stepper {
  /** The budget that is left. */
  readonly left: { readonly crash: number; readonly recover: number }
  /** What a peer has been since a member's request or watch. */
  seen(node: number, what: 'ask' | 'watch', peer: number): string
}

export function canonical(world: ReferenceState): string {
  const { algorithm: of, left } = world
  const nodes = [...world.group.everyone]
  const names = new Map<number, number>()
  let least = Infinity
  const show = (schema: RecordSchema, record: object, shift: number): unknown[] => {
    const json = schema.toJson(record as Record<string, unknown>, numberedMembers(nodes.length))
    return schema.entries.map(({ name, field: { role, orNone, stride } }) => {
      const value = json[name] as number | undefined
      // Optional fields are left out while they have their initial value.
      if (value === undefined || role === 'source' || role === 'observer') return 0
      if (role === 'plain' || (value === 0 && (orNone || role === 'id'))) return value
      if (role === 'id') return names.get(value) ?? names.set(value, names.size + 1).size
      least = Math.min(least, Math.floor((value - (orNone ? 1 : 0)) / stride) * stride)
      return value - shift
    })
  }
  const whole = (shift: number): string => {
    names.clear()
    const member = (i: number): unknown => {
      const { up, silent, timers, draws } = world.memberOf(i)
      // Members that cannot recover are alike, unless their votes count.
      if (!up && left.recover === 0 && of.promises.voteField === undefined) return 'unrecoverable'
      const asked = nodes.map((j) => [world.seen(i, 'ask', j), world.seen(i, 'watch', j)])
      return [
        up,
        silent,
        [...timers].toSorted(),
        asked,
        draws,
        show(of.state, world.stateOf(i), shift),
      ]
    }
    const message = (m: AnyMessage): unknown => [
      m.type,
      show(of.messages.variant(m.type), m, shift),
    ]
    const links = nodes.map((i) => nodes.map((j) => world.linkOf(i, j).map(message)))
    return JSON.stringify([left, nodes.map(member), links])
  }
  // The first call finds the least counter.
  whole(0)
  return whole(least === Infinity ? 0 : least)
}
