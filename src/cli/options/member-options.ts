/** The options of a member, from a file and from flags: the same words as `join` takes. */
import { readFileSync } from 'node:fs'
import { Option, type Command } from 'commander'
import type { FencedOptions, JoinOptions, MemberOptions, TcpOptions } from '../../index.ts'
import { fenced } from '../../runtime/fencing/fenced.ts'
import type { TlsFiles } from '../../transports/tls.ts'
import { checkConfiguration } from './config-schema.ts'
import { engineFrom } from './engine-url.ts'
import { UsageError } from '../errors.ts'

export interface MemberFlags {
  readonly config?: string
  readonly group?: string
  readonly id?: string
  readonly members?: string
  readonly state?: string
  readonly listen?: string
  readonly safety?: 'advisory' | 'quorum'
  readonly engine?: string
  readonly vouch?: string
  readonly algorithm?: string
  readonly detector?: string
  readonly preemption?: 'sticky' | 'always'
  readonly trustRefusals?: true
  readonly period?: string
  readonly detection?: string
  readonly lease?: string
  readonly message?: string
  readonly drain?: string
  readonly ca?: string
  readonly certificate?: string
  readonly key?: string
  readonly sharedKey?: string
  readonly insecurePlaintext?: true
}

export function addMemberOptions(command: Command): Command {
  return command
    .option(
      '--config <file>',
      'JSON with these options, see docs/guide/operations.md; flags go before it',
    )
    .option('--group <name>', 'the group (default: default)')
    .option('--id <name>', 'my name among the members')
    .option(
      '--members <list>',
      'all members: a=127.0.0.1:7400,b=127.0.0.1:7401; @5 behind one is its priority',
    )
    .option('--state <folder>', 'where I keep what must survive a crash (default: .bellwether)')
    .option('--listen <host:port>', 'where I listen, if not at my address')
    .addOption(new Option('--safety <promise>', 'what is promised').choices(['quorum', 'advisory']))
    .option(
      '--engine <url>',
      'fenced leadership: etcd://HOST:PORT, postgres://…, nats://…, redis://…',
    )
    .addOption(
      new Option(
        '--vouch <who>',
        'who lets a leader go on while the engine is out of reach',
      ).choices(['nobody', 'majority', 'all']),
    )
    .option('--algorithm <name>', 'which algorithm runs')
    .option('--detector <name>', 'which failure detector runs')
    .addOption(
      new Option('--preemption <how>', 'whether a stronger member takes over').choices([
        'sticky',
        'always',
      ]),
    )
    .option('--trust-refusals', 'a refused dial proves a peer dead: only where none can be forged')
    .option('--period <time>', 'how often periodic work is done (default 500ms)')
    .option('--detection <time>', 'how long a silent peer is trusted (default 1.5s)')
    .option('--lease <time>', 'how long a leader leads without a majority (default 2s)')
    .option('--message <time>', 'the longest that a message is thought to take')
    .option('--drain <time>', 'how long work may take to stop (default 10s)')
    .option('--ca <file>', 'mutual TLS: the authority that all certificates come from')
    .option('--certificate <file>', 'mutual TLS: my certificate, which names me')
    .option('--key <file>', 'mutual TLS: the key of my certificate')
    .option('--shared-key <file>', 'a secret of at least 32 bytes that all members share')
    .option('--insecure-plaintext', 'no protection off this machine: anybody on the way can forge')
}

/** What the flags and the file say together. */
export interface MemberConfig {
  /** `join` checks the values. */
  readonly options: JoinOptions
  /** How frames are protected. */
  readonly protection: TcpOptions
  /** Where the member is shown. */
  readonly http: string | undefined
}

/** Flags go before the file. */
export function memberConfigOf(flags: MemberFlags & { readonly http?: string }): MemberConfig {
  const file = flags.config === undefined ? {} : readConfig(flags.config)
  const { http, tls, sharedKey, insecurePlaintext, ...fields } = file
  const inFile = { tls, sharedKey, insecurePlaintext } as Protection
  return {
    options: joinOptionsOf(flags, fields),
    protection: protectionOf(protectionFlags(flags) ?? inFile),
    http: flags.http ?? (http as string | undefined),
  }
}

interface Protection {
  readonly tls?: TlsFiles | undefined
  readonly sharedKey?: string | undefined
  readonly insecurePlaintext?: boolean | undefined
}

/** Undefined where no flag says anything. */
function protectionFlags(flags: MemberFlags): Protection | undefined {
  const { ca, certificate, key, sharedKey, insecurePlaintext } = flags
  const given = [ca, certificate, key].filter((file) => file !== undefined)
  if (given.length > 0 && given.length < 3) {
    throw new UsageError('mutual TLS takes --ca, --certificate and --key together')
  }
  if (given.length === 0 && sharedKey === undefined && insecurePlaintext !== true) return undefined
  const tls = given.length === 3 ? { ca: ca!, certificate: certificate!, key: key! } : undefined
  return { tls, sharedKey, insecurePlaintext }
}

function protectionOf({ tls, sharedKey, insecurePlaintext }: Protection): TcpOptions {
  return {
    ...(tls === undefined ? {} : { tls }),
    ...(sharedKey === undefined ? {} : { key: readFileSync(sharedKey) }),
    ...(insecurePlaintext === true ? { insecurePlaintext } : {}),
  }
}

function joinOptionsOf(flags: MemberFlags, file: Record<string, unknown>): JoinOptions {
  const timing = { ...(file['timing'] as object | undefined), ...timingOf(flags) }
  const { group, id, state, listen, safety, algorithm, detector, preemption, drain } = flags
  const { engine, vouch } = flags
  const given = { group, id, state, listen, safety, algorithm, detector, preemption, drain }
  const whole = { ...given, engine, vouch }
  const all: Record<string, unknown> = { group: 'default', ...file, ...defined(whole), timing }
  fence(all)
  if (flags.members !== undefined) all['members'] = parseMembers(flags.members)
  if (flags.trustRefusals === true) all['trustRefusals'] = true
  for (const field of ['id', 'members'] as const) {
    if (all[field] === undefined) throw new UsageError(`--${field} is missing; see --help`)
  }
  return all as unknown as JoinOptions
}

/** An engine arbitrates: that is the promise, and there is no other beside it. */
function fence(all: Record<string, unknown>): void {
  const { engine, vouch, safety } = all
  delete all['engine']
  delete all['vouch']
  if (engine === undefined) {
    if (vouch !== undefined) throw new UsageError('--vouch goes with --engine')
    return
  }
  if (safety !== undefined) throw new UsageError('give --engine or --safety, not both')
  all['safety'] = fenced(
    engineFrom(engine as string),
    vouch === undefined ? {} : ({ vouch } as FencedOptions),
  )
}

function timingOf({ period, detection, lease, message }: MemberFlags): Record<string, string> {
  return defined({ period, detection, lease, message })
}

function defined<T>(values: Record<string, T | undefined>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, T] => entry[1] !== undefined),
  )
}

function parseMembers(list: string): Record<string, string | MemberOptions> {
  const members = new Map<string, string | MemberOptions>()
  for (const entry of list.split(',')) {
    const at = entry.indexOf('=')
    if (at < 1) throw new UsageError(`--members: "${entry}" is not NAME=HOST:PORT`)
    const name = entry.slice(0, at).trim()
    if (members.has(name)) throw new UsageError(`--members: ${name} is there twice`)
    const [address, priority] = entry
      .slice(at + 1)
      .trim()
      .split('@')
    members.set(name, priority === undefined ? address : { address, priority: Number(priority) })
  }
  return Object.fromEntries(members)
}

function readConfig(file: string): Record<string, unknown> {
  const text = readFileSync(file, 'utf8')
  try {
    return checkConfiguration(JSON.parse(text))
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof UsageError)) throw error
    throw new UsageError(`${file}: ${error.message}`, { cause: error })
  }
}
