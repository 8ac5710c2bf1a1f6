/** `bellwether engine`: look at the register of a group, and let tokens rise again after its engine lost them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { EngineError, type Engine, type Register } from '../../engines/index.ts'
import { largestTokenIn } from '../../runtime/fencing/token-store.ts'
import { ownerOf } from '../../stores/name.ts'
import type { Stored } from '../../stores/store.ts'
import { engineFrom } from '../options/engine-url.ts'
import { EXIT, UsageError } from '../errors.ts'

interface Flags {
  readonly engine: string
  readonly group: string
  readonly state: string
  readonly above?: number
  readonly json?: true
}

const PATIENCE_MS = 10_000

export function engineCommand(): Command {
  const options = (command: Command): Command =>
    command
      .requiredOption('--engine <url>', 'etcd://HOST:PORT, postgres://…, nats://… or redis://…')
      .option('--group <name>', 'the group', 'default')
      .option('--state <folder>', 'the state folder of members of this machine', '.bellwether')
      .option('--json', 'print JSON for programs')
      .exitOverride()
  const show = options(
    new Command('show').description('Show the token and the holder that the engine has.'),
  ).action(async (flags: Flags) =>
    withEngine(flags, async (engine) => print(flags, await read(engine, flags))),
  )
  const reseed = options(
    new Command('reseed')
      .summary('Let tokens rise again after the engine has lost its state.')
      .description(
        'Let tokens rise from above the largest that anybody has seen. Only after an EngineReset, with the ' +
          'engine running again. The largest is found in the state folder; give --above where members of ' +
          'other machines have seen more (their /status shows engine.token), or the resource has.',
      ),
  )
    .option('--above <token>', 'the largest token that anybody has seen', parseToken)
    .action(async (flags: Flags) => withEngine(flags, async (engine) => reseedAbove(engine, flags)))
  return new Command('engine')
    .description('Look at what an engine arbitrates, or reseed one that lost its state.')
    .addCommand(show)
    .addCommand(reseed)
}

function parseToken(text: string): number {
  const token = Number(text)
  if (!Number.isSafeInteger(token) || token < 0) {
    throw new InvalidArgumentError('must be a token, which is a whole number.')
  }
  return token
}

async function withEngine(flags: Flags, work: (engine: Engine) => Promise<void>): Promise<void> {
  const engine = engineFrom(flags.engine)
  try {
    await engine.load()
    await work(engine)
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    process.stderr.write(`bellwether: ${error.message}\n`)
    process.exitCode = EXIT.failed
  } finally {
    await engine.close()
  }
}

async function read(engine: Engine, { group }: Flags): Promise<Register> {
  return engine.read(group, AbortSignal.timeout(PATIENCE_MS))
}

async function reseedAbove(engine: Engine, flags: Flags): Promise<void> {
  const seen = tokensIn(flags.state, flags.group)
  if (seen.length === 0 && flags.above === undefined) {
    throw new UsageError(
      `${flags.state}: no member of ${flags.group} kept a token there; say what was seen: --above TOKEN`,
    )
  }
  const before = await read(engine, flags)
  const above = Math.max(before.token, flags.above ?? 0, ...seen)
  print(flags, await engine.reseed(flags.group, above, AbortSignal.timeout(PATIENCE_MS)))
}

/** What members of this machine have seen, whether they run or not. */
function tokensIn(folder: string, group: string): number[] {
  return filesOf(folder)
    .filter((file) => ownerOf(file, 'state')?.group === group)
    .flatMap((file) => {
      const [, body = ''] = readFileSync(join(folder, file), 'utf8').split('\n')
      try {
        return [largestTokenIn(JSON.parse(body) as Stored)]
      } catch {
        throw new UsageError(
          `${join(folder, file)}: is damaged; give --above TOKEN and --state elsewhere`,
        )
      }
    })
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function print({ group, json }: Flags, register: Register): void {
  const { token, holder } = register
  if (json === true) process.stdout.write(`${JSON.stringify({ group, ...register })}\n`)
  else process.stdout.write(`${group}: token ${token}, held by ${holder || 'nobody'}\n`)
}
