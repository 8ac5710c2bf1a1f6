/** `bellwether doctor`: checks configuration, disk, addresses and peers of a member, before it runs or beside it. */
import { existsSync, rmdirSync, statSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { basename, dirname, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Command } from 'commander'
import {
  BellwetherError,
  checkOptions,
  checkState,
  tcp,
  type JoinOptions,
  type TcpOptions,
  type Transport,
} from '../../index.ts'
import { monotonic } from '../../clock/monotonic.ts'
import { asRecord, durationMs } from '../../runtime/options/option-kinds.ts'
import { completedOptions, findGroup } from '../../runtime/membership/discovery.ts'
import { isFenced, type Fenced } from '../../runtime/fencing/fenced.ts'
import type { Question } from '../../runtime/visitors.ts'
import { slowText, TOO_SLOW } from '../../runtime/host/write-times.ts'
import { JOIN_OPTIONS } from '../../runtime/options/option-table.ts'
import { openPrivateFolder } from '../../stores/private-folder.ts'
import { isLoopback, parseAddress } from '../../transports/address.ts'
import { localKeyPath } from '../../transports/tcp/security/local-key.ts'
import { mutualTls } from '../../transports/tcp/security/mutual-tls.ts'
import { keyRingIn } from '../../transports/tcp/security/pre-shared-key.ts'
import { EXIT, sentenceOf, UnreachableError } from '../errors.ts'
import {
  addMemberOptions,
  readMemberConfig,
  type MemberConfig,
  type MemberFlags,
} from '../options/member-options.ts'
import { agreedOptions } from '../processes/agreed-options.ts'
import { leastDetectionMs, observeTiming, TrialStore } from '../processes/observed-timing.ts'
import { checkCertificate } from '../processes/certificate-check.ts'
import { checkPeer } from '../processes/peer-check.ts'
import { NODE_FLAG, visitGroup } from '../processes/visit-group.ts'
import { counted, print, printJson } from '../terminal/print.ts'

interface Result {
  readonly ok: boolean
  /** It works, and should be changed all the same. */
  readonly warning?: true
  readonly detail: string
}

const SLOW_LOOP_MS = 50
const VISIT_MS = 2000
const ENGINE_MS = 3000
const ENGINE_ONLY = 'no members: the engine alone decides who leads'

export function doctorCommand(): Command {
  return addMemberOptions(
    new Command('doctor').description(
      'Check the configuration, disk, addresses and peers of a member, before it runs or beside it. Peers that run are ' +
        'asked for the options that all members share, under the same key or certificate. Leaves nothing behind.',
    ),
  )
    .option(
      '--observe <time>',
      'watch timers and disk for so long, under the usual load, and recommend a detection time',
      (text: string) => durationMs(text, '--observe', 1000),
    )
    .option('--first-start', 'peers that do not run yet are no fault', false)
    .option(...NODE_FLAG)
    .option('--json', 'print JSON')
    .action(doctor)
}

async function doctor(flags: MemberFlags): Promise<void> {
  const config = readMemberConfig(flags)
  const { state } = config.options
  const made = firstMissing(state)
  try {
    await examine(flags, config)
  } finally {
    if (made !== undefined) removeEmpty(state, made)
  }
}

async function examine(flags: MemberFlags, config: MemberConfig): Promise<void> {
  const { options: given, protection, secrets } = config
  const node = flags['node'] as string | undefined
  const options = agreedOptions(await withMembersFound(given, protection, node))
  const running = await runningMember(options, protection, node)
  const {
    leaseMs,
    group: { timing },
    shared,
    engineOnly,
  } = checkOptions(options)
  const observeMs = flags['observe'] as number | undefined
  const peers = [...addressesOf(options).keys()].filter((name) => name !== options.id)
  const findings = [
    {
      check: 'configuration',
      ok: true,
      detail: engineOnly ? ENGINE_ONLY : counted(peers.length + 1, 'member'),
    },
    ...(engineOnly
      ? []
      : [await attempt('protection', () => checkProtection(options, protection, node))]),
    await attempt('folder', () => checkFolder(options)),
    ...(await Promise.all(
      secrets.map(async (file) => attempt(`secret ${basename(file)}`, () => checkSecret(file))),
    )),
    await attempt('disk', () => checkDisk(options, leaseMs)),
    await attempt('state', () => checkStateFile(options, running)),
    ...(engineOnly ? [] : [await attempt('listen', async () => checkListen(options, running))]),
    await attempt('loop', checkLoop),
    ...(isFenced(options.safety)
      ? [await attempt('engine', async () => checkEngine(options))]
      : []),
    ...(observeMs === undefined
      ? []
      : [
          await attempt('timing', async () =>
            checkTiming(options.state, observeMs, timing.detectionMs),
          ),
        ]),
    ...(await Promise.all(
      peers.map(async (peer) => {
        const { group, id } = options
        const address = addressesOf(options).get(peer)!
        const meeting = { group, node, id, peer, address, protection, shared }
        const isFirstStart = flags['firstStart'] === true
        return attempt(`peer ${peer}`, async () => checkPeer(meeting, isFirstStart))
      }),
    )),
  ]
  if (flags['json'] === true) printJson(findings)
  else {
    for (const { check, ok, warning = false, detail } of findings as readonly (Result & {
      readonly check: string
    })[]) {
      print(`${ok ? (warning ? 'WARN' : 'ok  ') : 'BAD '} ${check.padEnd(16)} ${detail}`)
    }
  }
  if (findings.some(({ ok }) => !ok)) process.exitCode = EXIT.failed
}

/** The process id of this member, where it runs at its address already; undefined where nothing or something else does. */
async function runningMember(
  options: MemberConfig['options'],
  protection: TcpOptions,
  node: string | undefined,
): Promise<number | undefined> {
  const { group, id: member } = options
  const address = options.listen ?? addressesOf(options).get(member)
  if (address === undefined) return undefined
  try {
    const visited = { group, node, address, member }
    const status = asRecord(await visitGroup(protection, visited, { ask: 'status' }, VISIT_MS))
    return status?.['id'] === member ? Number(status['pid']) : undefined
  } catch (error) {
    if (error instanceof BellwetherError) return undefined
    throw error
  }
}

/** The first folder on the way that is not there. */
function firstMissing(folder: string): string | undefined {
  const above = dirname(resolve(folder))
  if (existsSync(folder)) return undefined
  return (above === resolve(folder) ? undefined : firstMissing(above)) ?? resolve(folder)
}

/** Removes the folders from `folder` up to `last`, unless something is in them. */
function removeEmpty(folder: string, last: string): void {
  for (let path = resolve(folder); path.length >= last.length; path = dirname(path)) {
    try {
      rmdirSync(path)
    } catch {
      return
    }
  }
}

/** Throws UnreachableError where the seeds lead to no member. */
async function withMembersFound(
  given: MemberConfig['options'],
  protection: TcpOptions,
  node: string | undefined,
): Promise<MemberConfig['options']> {
  if (given.seeds === undefined) return given
  const seeds = JOIN_OPTIONS.seeds.check(given.seeds, 'seeds')
  const visitor: Transport = {
    ...tcp(protection),
    visit: async (group, address, question, timeoutMs) =>
      visitGroup(protection, { group, node, address, member: '' }, question as Question, timeoutMs),
  }
  const found = await findGroup(seeds, given.group, visitor)
  if (typeof found === 'string') throw new UnreachableError(found)
  const completed = completedOptions(given, found.options)
  return { ...completed, state: given.state }
}

async function attempt(
  check: string,
  examine: () => Promise<Result> | Result,
): Promise<Result & { readonly check: string }> {
  try {
    return { check, ...(await examine()) }
  } catch (error) {
    const detail = sentenceOf(error) ?? (error instanceof Error ? error.message : String(error))
    return { check, ok: false, detail }
  }
}

function checkProtection(
  options: JoinOptions,
  { tls, keyFile, insecurePlaintext }: TcpOptions,
  node: string | undefined,
): Result {
  const { group, id } = options
  const cluster = node ?? group
  if (tls !== undefined) {
    mutualTls(tls, { cluster, id }, () => undefined).close?.() // throws if a file is wrong
    const { ok, detail } = checkCertificate(tls)
    return { ok, detail: `mutual TLS 1.3, the certificate names ${id}: ${detail}` }
  }
  if (keyFile !== undefined) {
    keyRingIn(keyFile, () => undefined) // throws if a key is wrong
    return { ok: true, detail: `a shared key: ${keyFile}` }
  }
  const [outside] =
    [...addressesOf(options)].find(([, address]) => !isLoopback(parseAddress(address).host)) ?? []
  if (insecurePlaintext === true) {
    const detail = 'plaintext, as configured: every process that reaches a port can take part'
    return { ok: outside === undefined, detail }
  }
  if (outside === undefined) {
    const file = localKeyPath(cluster)
    const detail = `the key of this user: ${file}`
    return {
      ok: true,
      detail: existsSync(file) ? detail : `${detail}, which the first start makes`,
    }
  }
  const where = `${outside} can be reached from outside this machine`
  return { ok: false, detail: `${where}: configure certificates or a shared key` }
}

function addressesOf({ members }: JoinOptions): ReadonlyMap<string, string> {
  if (members === undefined) return new Map()
  const checked = JOIN_OPTIONS.members.check(members, 'members')
  return new Map(checked.map(({ name, address }) => [name, address]))
}

/** Throws where `join` would refuse the folder. */
function checkFolder({ state: folder }: MemberConfig['options']): Result {
  openPrivateFolder(folder)
  return { ok: true, detail: `${folder}: belongs to this user, closed to others` }
}

/** A key, or the URL of an engine with its password. */
function checkSecret(file: string): Result {
  const { uid, mode } = statSync(file)
  const own = process.getuid?.()
  if (own !== undefined && uid !== own && uid !== 0) {
    return { ok: false, detail: `${file}: belongs to another user (${uid}), who can change it` }
  }
  if (own !== undefined && (mode & 0o022) !== 0) {
    return { ok: false, detail: `${file}: others can change it: run "chmod 600 ${file}"` }
  }
  const isOpen = own !== undefined && (mode & 0o044) !== 0
  if (!isOpen) return { ok: true, detail: `${file}: closed to others` }
  return { ok: true, warning: true, detail: `${file}: others can read it: run "chmod 600 ${file}"` }
}

function checkDisk({ state: folder }: MemberConfig['options'], leaseMs: number): Result {
  using trial = new TrialStore(folder)
  const times = Array.from({ length: 5 }, () => trial.timeWrite())
  const ms = times.toSorted((a, b) => a - b)[2]
  const detail = `${folder}: a durable write takes ${ms.toFixed(1)} ms`
  const slow = slowText(ms, leaseMs)
  return { ok: ms < leaseMs * TOO_SLOW, detail: slow === '' ? detail : `${folder}: ${slow}` }
}

/** Whether the detection time fits this machine, by what is observed for a while. */
async function checkTiming(folder: string, forMs: number, detectionMs: number): Promise<Result> {
  const observed = await observeTiming(folder, forMs)
  const leastMs = leastDetectionMs(observed)
  const seen = `timers were at most ${observed.lateMs.toFixed(1)} ms late, durable writes took at most ${observed.writeMs.toFixed(1)} ms`
  const advice = `use a timing.detection of ${leastMs} ms or more (it is ${Math.round(detectionMs)} ms)`
  return { ok: detectionMs >= leastMs, detail: `${seen}: ${advice}` }
}

/** A state file that does not fit is the most common reason why a member does not start. */
function checkStateFile(options: JoinOptions, running: number | undefined): Result {
  if (running !== undefined) return { ok: true, detail: `open in this member, process ${running}` }
  const kept = checkState(options)
  if (kept === null) return { ok: true, detail: 'none yet: this member has not run here' }
  const detail = `incarnation ${kept.incarnation}, term ${kept.term}`
  if (!kept.isBeyond) return { ok: true, detail }
  return { ok: false, detail: `${detail}: peers do not believe it, see "bellwether repair --help"` }
}

async function checkListen(options: JoinOptions, running: number | undefined): Promise<Result> {
  const text = options.listen ?? addressesOf(options).get(options.id)!
  if (running !== undefined) {
    return { ok: true, detail: `${text}: this member runs there, process ${running}` }
  }
  const { host, port } = parseAddress(text)
  const server = createServer()
  server.listen({ host, port })
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
  return { ok: true, detail: `${text} is free` }
}

/** Reads the register as the member would. */
async function checkEngine({ safety, group }: JoinOptions): Promise<Result> {
  const { engine } = safety as Fenced
  try {
    await engine.load()
    const { token, holder } = await engine.read(group, AbortSignal.timeout(ENGINE_MS))
    const held =
      token === 0 ? 'no member has led yet' : `token ${token}, held by ${holder || 'nobody'}`
    return { ok: true, detail: `${engine.name} answers: ${held}` }
  } finally {
    await engine.close()
  }
}

async function checkLoop(): Promise<Result> {
  let worst = 0
  for (let i = 0; i < 10; i++) {
    const started = monotonic.now()
    await setTimeout(10)
    worst = Math.max(worst, monotonic.now() - started - 10)
  }
  const detail = `timers are at most ${worst.toFixed(1)} ms late`
  return { ok: worst < SLOW_LOOP_MS, detail }
}
