/** Reads a change of the group that a visitor asks for, and answers it. */
import type { Json } from '../../core/schema.ts'
import { printable } from '../../transports/printable.ts'
import { ChangeError, ConfigurationError } from '../errors.ts'
import { checkAddress, checkOptionTable, name, number } from '../options/option-kinds.ts'
import { TIMING_OPTIONS } from '../options/option-table.ts'
import type { GroupChange } from './changed-configuration.ts'
import type { ChangeOptions } from './register.ts'

export type Changer = (change: GroupChange, options: ChangeOptions) => Promise<void>

/** Never rejects: an error is an answer too. */
export async function changeAsAsked(
  changer: Changer,
  asked: Readonly<Record<string, unknown>>,
): Promise<{ ok: true } | { error: string; rule?: string }> {
  try {
    const change = readChange(asked['change'])
    const isForwarded = asked['isForwarded'] === true
    await changer(change, { dryRun: asked['dryRun'] === true, isForwarded })
    return { ok: true }
  } catch (error) {
    if (error instanceof ChangeError) return { error: error.message, rule: error.rule }
    if (error instanceof ConfigurationError) return { error: error.message, rule: 'configuration' }
    return { error: printable(String(error)) }
  }
}

/** Throws ConfigurationError, which names the field. */
export function readChange(given: unknown): GroupChange {
  const asked = (given ?? {}) as Readonly<Record<string, Json | undefined>>
  const { add, address, priority, promote, lead, remove, member, timing, claim, key } = asked
  if (add !== undefined) {
    return {
      add: memberName(add, 'add'),
      address: checkAddress(address, 'address'),
      priority: number(-1e9, 1e9)('').check(priority ?? 0, 'priority'),
    }
  }
  if (promote !== undefined) {
    const name = memberName(promote, 'promote')
    return lead === false ? { promote: name, lead } : { promote: name }
  }
  if (member !== undefined) return changeOfMember(memberName(member, 'member'), address, priority)
  if (remove !== undefined) return { remove: memberName(remove, 'remove') }
  if (claim !== undefined) return { claim: memberName(claim, 'claim'), key: memberName(key, 'key') }
  if (timing !== undefined) {
    const checked = checkOptionTable(TIMING_OPTIONS, timing, 'timing', { partial: true })
    return { timing: { ...checked } }
  }
  throw new ConfigurationError('change', 'must be add, promote, remove, member or timing')
}

function changeOfMember(
  member: string,
  address: Json | undefined,
  priority: Json | undefined,
): GroupChange {
  if (address === undefined && priority === undefined) {
    throw new ConfigurationError(`members.${member}`, 'give another address or priority')
  }
  return {
    member,
    ...(address !== undefined && { address: checkAddress(address, 'address') }),
    ...(priority !== undefined && {
      priority: number(-1e9, 1e9)('').check(priority, 'priority'),
    }),
  }
}

function memberName(value: unknown, field: string): string {
  const text = name('').check(value, field)
  if (text.length > 100) throw new ConfigurationError(field, 'a name has 1 to 100 characters')
  return text
}
