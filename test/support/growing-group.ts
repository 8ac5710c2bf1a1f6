/** A group of real processes that changes: some members found it, others join when they are added, and commands change it. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { program, TestCluster } from '../../scripts/support/test-cluster.ts'

const BRISK = ['--detection', '600ms', '--lease', '800ms']

interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

/**
 * The first `founders` of the members are started with a list of each other; the others with a seed, when they are added.
 * `flags` are those of the founders, `flagsOf` those that a member has besides, whenever it starts.
 */
export async function growing(
  members: number,
  founders: number,
  flags: readonly string[] = [],
  flagsOf: (name: string) => readonly string[] = () => [],
) {
  const names = Array.from({ length: members }, (_, i) => String.fromCodePoint(97 + i))
  const cluster = await TestCluster.open({
    members,
    flags: [],
    flagsOf,
    late: names.slice(founders),
    joinOf: (name, addresses) => {
      const first = names.slice(0, founders)
      if (!first.includes(name)) return ['--join', [...addresses.values()].join(',')]
      return [
        '--members',
        first.map((id) => `${id}=${addresses.get(id)}`).join(','),
        ...BRISK,
        ...flags,
      ]
    },
  })
  const { addresses } = cluster.processes
  const addressOf = (name: string): string => addresses.get(name)!
  const call = async (through: string, ...args: string[]): Promise<Outcome> => {
    const key = ['--group', 'cluster', '--shared-key', join(cluster.state, 'cluster.key')]
    const all = [program, ...args, '--peer', addressOf(through), ...key]
    return new Promise((resolve) => {
      const child = execFile(process.execPath, all, (_, out, err) =>
        resolve({ code: child.exitCode!, out, err }),
      )
    })
  }
  const rolesAt = async (through: string): Promise<Record<string, string>> => {
    const list = JSON.parse((await call(through, 'members', 'list', '--json')).out) as {
      id: string
      role: string
    }[]
    return Object.fromEntries(list.map(({ id, role }) => [id, role]))
  }
  const add = async (through: string, name: string): Promise<Outcome> => {
    const adding = call(through, 'members', 'add', `${name}=${addressOf(name)}`)
    cluster.processes.start(name)
    return adding
  }
  return { cluster, call, add, rolesAt, addressOf }
}
