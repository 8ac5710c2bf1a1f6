/** `bellwether configure`: changes the times of a group while it runs. */
import { Command } from 'commander'
import { readChange } from '../../runtime/membership/asked-change.ts'
import type { GroupChange } from '../../runtime/membership/changed-configuration.ts'
import { TIMING_OPTIONS } from '../../runtime/options/option-table.ts'
import { UsageError } from '../errors.ts'
import { changeGroup, type ChangeFlags } from '../processes/change-group.ts'
import { addChangeFlags } from './members.ts'

const POSSIBLE = Object.keys(TIMING_OPTIONS)
  .map((name) => `timing.${name}`)
  .join(', ')

export function configureCommand(): Command {
  return addChangeFlags(
    new Command('configure')
      .summary('Change the times of a group while it runs.')
      .description(
        `Change the times of a group while it runs (safety quorum). Possible: ${POSSIBLE}. What is not named stays.`,
      )
      .argument('<option=value...>', 'such as timing.detection=1s'),
  ).action(configure)
}

async function configure(settings: readonly string[], flags: ChangeFlags): Promise<void> {
  await changeGroup(
    [{ change: changeOf(settings), done: `changed: ${settings.join(', ')}` }],
    flags,
  )
}

function changeOf(settings: readonly string[]): GroupChange {
  const timing = settings.map((setting): [string, string] => {
    const [, name, value] = /^timing\.([^=]+)=(.+)$/u.exec(setting) ?? []
    if (name === undefined) {
      throw new UsageError(`"${setting}": give option=value; possible: ${POSSIBLE}`)
    }
    return [name, value]
  })
  return readChange({ timing: Object.fromEntries(timing) })
}
