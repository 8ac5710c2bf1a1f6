/**
 * The register of a group's configuration at one member: reads the configuration that the member has adopted, and lets
 * the leader write a changed one, step by step, until a majority has it.
 */
import { sleep } from '../../clock/sleep.ts'
import type { Change, ChangeRefusal } from '../../core/configuration.ts'
import { MAX_BODY } from '../../transports/frame.ts'
import { PROTOCOL_OF_CHANGES } from '../../transports/handshake.ts'
import { ChangeError } from '../errors.ts'
import { MOST_GROWTH } from '../host/host-config.ts'
import type { Host } from '../host/host.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'
import { changedConfiguration, type GroupChange } from './changed-configuration.ts'
import {
  changeTo,
  firstConfiguration,
  readConfiguration,
  writeConfiguration,
  type GroupConfiguration,
} from './group-configuration.ts'

export interface ChangeOptions {
  /** Only says whether a rule would refuse the change now. */
  readonly dryRun?: boolean
  /** How long to wait until a majority has it. */
  readonly timeoutMs?: number
  /** Another member was asked, and took this one for the leader. */
  readonly isForwarded?: boolean
}

const TIMEOUT_MS = 10_000
/** A frame holds it, beside the voters and observers. */
const LONGEST_CONFIGURATION = MAX_BODY - 2048

export class Register {
  private readonly options: ResolvedOptions
  private readonly host: Host
  /** Throws where the options of this configuration cannot be used. */
  private readonly check: (data: string) => void
  private readonly leadership: () => number | null
  private last: Promise<void> = Promise.resolve()

  constructor(
    options: ResolvedOptions,
    host: Host,
    check: (data: string) => void,
    leadership: () => number | null,
  ) {
    this.options = options
    this.host = host
    this.check = check
    this.leadership = leadership
  }

  get configuration(): GroupConfiguration {
    return this.options.configuration ?? firstConfiguration(this.options)
  }

  get isLeader(): boolean {
    return this.host.takesPart && this.host.state.leader === this.options.me
  }

  /** One after the other. Resolves when a majority has adopted the changed configuration. Throws ChangeError. */
  async change(change: GroupChange, options: ChangeOptions = {}): Promise<void> {
    const before = this.last
    const done = before.then(async () => this.write(change, options))
    this.last = done.catch(() => undefined)
    return done
  }

  private async write(
    change: GroupChange,
    { dryRun = false, timeoutMs = TIMEOUT_MS }: ChangeOptions,
  ): Promise<void> {
    const until = performance.now() + timeoutMs
    this.refuseEarlierVersions()
    for (;;) {
      const next = changeTo(changedConfiguration(this.configuration, change))
      if (this.isDone(next)) return
      const era = this.leadership()
      if (this.options.safety === 'fenced' && era === null) {
        throw new ChangeError('not the leader', 'this member has no token of the engine: ask again')
      }
      const refusal = this.refusalOf(next)
      if (!AGAIN.has(refusal)) throw new ChangeError(refusal, SENTENCES[refusal])
      if (dryRun) return
      // Where the leader has not written in its term, it first writes the configuration that it has.
      this.host.change(era === null ? next : { ...next, era })
      if (this.isDone(next)) return
      if (performance.now() > until) {
        throw new ChangeError('not committed', SENTENCES['not committed'])
      }
      await sleep(this.options.group.timing.messageMs / 10)
    }
  }

  /** Whether a majority has adopted it; the first configuration is that of all. */
  private isDone({ data }: Change): boolean {
    const { committed, version, term } = this.host.configuration!
    if (data !== writeConfiguration(this.configuration)) return false
    return committed || (version === 0 && term === 0)
  }

  private refusalOf(change: Change): ChangeRefusal {
    const bytes = Buffer.byteLength(JSON.stringify(change.data))
    if (bytes > LONGEST_CONFIGURATION) {
      const sentence = `the configuration would need ${bytes} bytes, of at most ${LONGEST_CONFIGURATION}`
      throw new ChangeError('full', sentence)
    }
    this.check(change.data)
    this.refuseLeaps(change)
    return this.host.changeRefusal(change)
  }

  /** Members refuse to be bound for much longer than their own timing says, so the lease grows step by step. */
  private refuseLeaps({ data }: Change): void {
    const { lease } = readConfiguration(data)!.options['timing'] as { readonly lease: number }
    const most = MOST_GROWTH * this.options.leaseMs
    if (lease <= most || this.options.leaseMs === 0) return
    throw new ChangeError(
      'too much',
      `a change makes the lease ${most} ms long at most: change it in steps`,
    )
  }

  /** An earlier version would not understand the configuration, and would lose it. */
  private refuseEarlierVersions(): void {
    const { roles, names } = this.options
    for (const seat of roles.keys()) {
      const protocol = this.host.protocolOf(seat) ?? PROTOCOL_OF_CHANGES
      if (protocol >= PROTOCOL_OF_CHANGES) continue
      throw new ChangeError(
        'version',
        `${names[seat]} runs an earlier version of bellwether, which knows no changes: upgrade it first`,
      )
    }
  }
}

/** What passes by itself: the change is asked for again. */
const AGAIN: ReadonlySet<ChangeRefusal> = new Set(['', 'not committed', 'nothing changes'])

const SENTENCES: Readonly<Record<ChangeRefusal, string>> = {
  '': '',
  'not the leader': 'this member does not lead: ask the leader',
  'no voter': 'nobody would be left to lead',
  'two roles': 'a member would be voter and observer at once',
  'more than one voter': 'a change adds or removes one voter at most',
  'not caught up':
    'the member is an observer, and stays one until it runs and has the present configuration: start it, and promote ' +
    'it then ("bellwether members promote")',
  'nothing changes': 'this is the configuration already',
  'not committed': 'no majority has adopted the configuration yet: ask again',
}
