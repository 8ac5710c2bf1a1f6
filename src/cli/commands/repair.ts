/**
 * `bellwether repair`: shows the votes in the state files of stopped members, and raises those that are behind, where
 * a fault or a malicious member has driven the terms of others too far up to be believed.
 *
 * A vote that was raised promises more than the one before it, so no member can be misled by it.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { algorithms } from '../../algorithms/index.ts'
import type { Algorithm } from '../../core/algorithm.ts'
import { FileStore } from '../../stores/file.ts'
import { ownerOf } from '../../stores/member-files.ts'
import type { Stored } from '../../stores/store.ts'
import { EXIT, UsageError } from '../errors.ts'
import { wholeNumber } from '../options/option-flags.ts'
import { alignColumns, print, printJson } from '../terminal/print.ts'

interface Flags {
  readonly state: string
  readonly group: string
  readonly raiseTo?: number
  readonly json?: true
}

interface Row {
  readonly member: string
  readonly vote: number
  readonly raised: boolean
}

/** Members believe no larger term (src/runtime/host/term-jump-guard.ts). */
const LAST_TERM = 2 ** 52

export function repairCommand(): Command {
  return new Command('repair')
    .summary('Show or raise the votes of stopped members whose group cannot elect.')
    .description(
      'Show the votes in the state files of stopped members. With --raise-to, raise those that are smaller: for a ' +
        'group whose members no longer believe the terms of each other. Give the largest vote of all members. ' +
        'Raising a vote is always safe.',
    )
    .option('--state <folder>', 'the state folder of the members on this machine', '.bellwether')
    .option('--group <name>', 'the group', 'default')
    .option('--raise-to <vote>', 'the largest vote of all members', wholeNumber(1, LAST_TERM))
    .option('--json', 'print JSON')
    .action(repair)
}

function repair({ state: folder, group, raiseTo, json }: Flags): void {
  const members = readdirSync(folder)
    .map((file) => ({ file, owner: ownerOf(file, 'state') }))
    .filter(({ owner }) => owner?.group === group)
  if (members.length === 0) {
    throw new UsageError(`${folder}: has no state file of the group ${group}`)
  }
  const rows = members.map(({ file, owner }) => repairFile(join(folder, file), owner!, raiseTo))
  if (json === true) return printJson(rows)
  const cells = rows.map(({ member, vote, raised }) => [
    member,
    String(vote),
    raised ? 'raised' : '',
  ])
  for (const line of alignColumns([['member', 'vote', ''], ...cells], 2)) print(line)
  const beyond = rows.filter(({ vote }) => vote > LAST_TERM)
  if (beyond.length === 0) return
  print(`\n${beyond.map(({ member }) => member).join(', ')}: no term is left to elect in.`)
  print('Stop all members, delete the state file of each, and start them: terms begin anew.')
  process.exitCode = EXIT.failed
}

/** Throws StoreError if the member runs. */
function repairFile(path: string, owner: { group: string; id: string }, raiseTo = 0): Row {
  const store = new FileStore(path, { cluster: owner.group, member: owner.id })
  try {
    const stored = upgraded(store.read()!)
    const fields = votesOf(stored, path)
    const vote = Math.max(...fields.map((name) => Number(stored.state[name])))
    if (vote >= raiseTo) return { member: owner.id, vote, raised: false }
    const state = { ...stored.state }
    for (const name of fields) state[name] = raiseTo
    store.write({ ...stored, state })
    return { member: owner.id, vote: raiseTo, raised: true }
  } finally {
    store.close()
  }
}

/** What an earlier version of the algorithm wrote, in the fields of this one. */
function upgraded({ version, ...stored }: Stored): Stored {
  const { upgrade } = algorithmOf(stored) ?? {}
  if (version === undefined || upgrade === undefined) return stored
  return { ...stored, state: upgrade(stored.state) }
}

function algorithmOf({ algorithm }: Stored): Algorithm | undefined {
  return algorithms.find(({ name }) => name === algorithm)
}

/** The fields that hold what the member has voted for, and below which it never votes again. */
function votesOf(stored: Stored, path: string): string[] {
  const { voteField = 'term' } = algorithmOf(stored)?.promises ?? {}
  const fields = [...new Set(['term', voteField])].filter((name) =>
    Object.hasOwn(stored.state, name),
  )
  if (fields.length === 0) throw new UsageError(`${path}: holds no vote`)
  return fields
}
