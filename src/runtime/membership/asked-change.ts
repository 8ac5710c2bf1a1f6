/** Reads a change of the group that a visitor asks for, and answers it. */
import { printable } from '../../transports/printable.ts'
import { ChangeError, ConfigurationError } from '../errors.ts'
import { MEMBER, MEMBER_CHANGE } from '../options/members-option.ts'
import {
  asRecord,
  checkOptionTable,
  name,
  options,
  required,
  toggle,
  wrong,
  type OptionRow,
  type OptionTable,
} from '../options/option-kinds.ts'
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

const memberName: OptionRow<string, string> = {
  help: '',
  check: (value, field) => {
    const text = name('').check(value, field)
    return text.length <= 100 ? text : wrong(field, 'a name has 1 to 100 characters')
  },
}
/** Each kind of change by the name that tells it from the others, with what else it says. */
const CHANGES: Readonly<Record<string, OptionTable>> = {
  add: { add: memberName, address: MEMBER.address, priority: MEMBER.priority },
  promote: { promote: memberName, lead: toggle('') },
  remove: { remove: memberName },
  member: { member: memberName, ...MEMBER_CHANGE },
  claim: { claim: memberName, key: required(memberName) },
  timing: { timing: options<object, typeof TIMING_OPTIONS>(TIMING_OPTIONS)('') },
}

/** Throws ConfigurationError, which names the field. */
export function readChange(given: unknown): GroupChange {
  const asked = asRecord(given) ?? wrong('change', 'must be an object', given)
  const kind = Object.keys(CHANGES).find((name) => asked[name] !== undefined)
  if (kind === undefined) return wrong('change', 'must be add, promote, remove, member or timing')
  const change: Readonly<Record<string, unknown>> = checkOptionTable(CHANGES[kind], asked)
  refuseNothing(change)
  return change as GroupChange
}

/** A change that names nothing would succeed and change nothing. */
function refuseNothing({
  member,
  timing,
  address,
  priority,
}: Readonly<Record<string, unknown>>): void {
  if (timing !== undefined && Object.keys(timing as object).length === 0) {
    wrong('timing', `give one or more of ${Object.keys(TIMING_OPTIONS).join(', ')}`)
  }
  if (member !== undefined && address === undefined && priority === undefined) {
    wrong(`members.${member as string}`, 'give another address or priority')
  }
}
