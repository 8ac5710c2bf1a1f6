/** `bellwether configure`: changes the times of a group, and addresses and priorities of members, while it runs. */
import { Command } from 'commander'
import { readChange } from '../../runtime/membership/asked-change.ts'
import type { GroupChange } from '../../runtime/membership/changed-configuration.ts'
import { TIMING_OPTIONS } from '../../runtime/options/option-table.ts'
import { UsageError } from '../errors.ts'
import { changeGroup, type ChangeFlags } from '../processes/change-group.ts'
import { addChangeFlags } from './members.ts'

const POSSIBLE = [
  ...Object.keys(TIMING_OPTIONS).map((name) => `timing.${name}`),
  'members.NAME.address',
  'members.NAME.priority',
].join(', ')

export function configureCommand(): Command {
  return addChangeFlags(
    new Command('configure')
      .summary('Change times, addresses and priorities of a group while it runs.')
      .description(
        `Change the times of a group, and addresses and priorities of its members, while it runs. Possible: ${POSSIBLE}. What is not named stays.`,
      )
      .argument('<option=value...>', 'such as timing.detection=1s'),
  ).action(configure)
}

async function configure(settings: readonly string[], flags: ChangeFlags): Promise<void> {
  const ofMembers = settings.filter((setting) => MEMBER_SETTING.test(setting))
  const times = settings.filter((setting) => !MEMBER_SETTING.test(setting))
  const plan = ofMembers.map((setting) => ({
    change: memberChangeOf(setting),
    done: `changed: ${setting}`,
  }))
  if (times.length > 0)
    plan.unshift({ change: timingChangeOf(times), done: `changed: ${times.join(', ')}` })
  await changeGroup(plan, flags)
}

/** A name may contain dots. */
const MEMBER_SETTING = /^members\.(.+)\.(address|priority)=(.+)$/u

function memberChangeOf(setting: string): GroupChange {
  const [, member, field, value] = MEMBER_SETTING.exec(setting)!
  return readChange({ member, [field]: field === 'priority' ? Number(value) : value })
}

function timingChangeOf(settings: readonly string[]): GroupChange {
  const timing = settings.map((setting): [string, string] => {
    const [, name, value] = /^timing\.([^=]+)=(.+)$/u.exec(setting) ?? []
    if (name === undefined) {
      throw new UsageError(`"${setting}": give option=value; possible: ${POSSIBLE}`)
    }
    return [name, value]
  })
  return readChange({ timing: Object.fromEntries(timing) })
}
