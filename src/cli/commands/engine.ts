/** `bellwether engine`: shows the register of a group, and reseeds it after the engine has lost its state. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { MAX_SEED, type Engine, type Register } from '../../engines/engine.ts'
import { largestTokenIn } from '../../runtime/fencing/token-store.ts'
import { ownerOf } from '../../stores/member-files.ts'
import { decodeCopies, decodeVersion1 } from '../../stores/state-text.ts'
import { engineFrom, engineUrl } from '../options/engine-url.ts'
import { wholeNumber } from '../options/option-flags.ts'
import { namesIn } from '../processes/command-processes.ts'
import { print, printJson } from '../terminal/print.ts'
import { UsageError } from '../errors.ts'

interface Flags {
  readonly engine?: string
  readonly engineFile?: string
  readonly group: string
  readonly state: string
  readonly above?: number
  readonly json?: true
}

const TIMEOUT_MS = 10_000

export function engineCommand(): Command {
  const options = (command: Command): Command =>
    command
      .option(
        '--engine <url>',
        'etcd://HOST:PORT, postgres://…, mysql://…, nats://…, redis://… or kubernetes://',
      )
      .option('--engine-file <file>', 'a file with the URL, for one that holds a password')
      .option('--group <name>', 'the group', 'default')
      .option('--state <folder>', 'the state folder of the members on this machine', '.bellwether')
      .option('--json', 'print JSON')
      .exitOverride()
  const showing = options(new Command('show').description('Show the token and its holder.')).action(
    async (flags: Flags) =>
      withEngine(flags, async (engine) => show(flags, await read(engine, flags))),
  )
  const reseeding = options(
    new Command('reseed')
      .summary('Continue with larger tokens after the engine has lost its state.')
      .description(
        'Continue with tokens above the largest one that was ever used. Only after an EngineResetError, when ' +
          'the engine runs again. The state folder has the largest token of this machine; use --above if a ' +
          'member elsewhere (see engine.token in its /status) or the resource has seen a larger one.',
      ),
  )
    .option('--above <token>', 'the largest token that was ever used', wholeNumber(0, MAX_SEED))
    .action(async (flags: Flags) => withEngine(flags, async (engine) => reseedAbove(engine, flags)))
  return new Command('engine')
    .description('Show the token of a group, or reseed an engine that has lost its state.')
    .addCommand(showing)
    .addCommand(reseeding)
}

async function withEngine(flags: Flags, work: (engine: Engine) => Promise<void>): Promise<void> {
  const url = engineUrl({ flag: flags.engine, file: flags.engineFile })
  if (url === undefined) throw new UsageError('give --engine or --engine-file; see --help')
  const engine = engineFrom(url)
  try {
    await engine.load()
    await work(engine)
  } finally {
    await engine.close()
  }
}

async function read(engine: Engine, { group }: Flags): Promise<Register> {
  return engine.read(group, AbortSignal.timeout(TIMEOUT_MS))
}

async function reseedAbove(engine: Engine, flags: Flags): Promise<void> {
  const seen = tokensIn(flags.state, flags.group)
  if (seen.length === 0 && flags.above === undefined) {
    throw new UsageError(
      `${flags.state}: has no token of the group ${flags.group}; give the largest token with --above`,
    )
  }
  const before = await read(engine, flags)
  const above = Math.max(before.token, flags.above ?? 0, ...seen)
  show(flags, await engine.reseed(flags.group, above, AbortSignal.timeout(TIMEOUT_MS)))
}

/** The tokens that the members on this machine have seen, whether they run or not. */
function tokensIn(folder: string, group: string): number[] {
  return namesIn(folder)
    .filter((file) => ownerOf(file, 'state')?.group === group)
    .flatMap((file) => {
      const bytes = readFileSync(join(folder, file))
      const content = decodeCopies(bytes) ?? decodeVersion1(bytes)
      if (content !== undefined) return [largestTokenIn(content.stored)]
      throw new UsageError(
        `${join(folder, file)}: is damaged; give --above, and another folder with --state`,
      )
    })
}

function show({ group, json }: Flags, register: Register): void {
  const { token, holder } = register
  if (json === true) printJson({ group, ...register })
  else print(`${group}: token ${token}, held by ${holder || 'nobody'}`)
}
