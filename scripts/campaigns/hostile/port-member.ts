/**
 * The program of an honest process of shared-port.ts: joins groups over one port, and reports what it knows of them, when
 * `term.assert()` passed, and its memory. Each term is asserted until it fails, whatever the member says about it.
 */
import { open, tcp, type Election } from '../../../src/index.ts'

export interface PortMemberOrder {
  readonly id: string
  readonly key: string
  readonly listen: string
  readonly state: string
  /** The members of each group, by name, with their addresses. */
  readonly groups: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** The first and the last moment at which a term passed, in milliseconds of the clock that all processes share. */
export interface Held {
  readonly group: string
  readonly term: number
  readonly first: number
  last: number
}

export interface PortMemberReport {
  readonly views: Readonly<Record<string, { readonly leader: string; readonly term: number }>>
  /** Groups in which a term of this process passes now. */
  readonly leads: readonly string[]
  /** What has passed since the last report. */
  readonly held: readonly Held[]
  readonly rssMb: number
  /** After a collection of garbage, where it was asked for. */
  readonly heapMb?: number
}

const ASSERT_MS = 5
const REPORT_MS = 50

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6

class HeldTerms {
  private readonly terms = new Map<Election['current'] & object, Held | undefined>()
  private passed = new Set<Held>()

  look(group: string, election: Election): void {
    const { current } = election
    if (current !== null && !this.terms.has(current)) this.terms.set(current, undefined)
    for (const term of this.terms.keys()) if (term.group === group) this.assert(group, term)
  }

  take(): Held[] {
    const passed = [...this.passed]
    this.passed = new Set()
    return passed
  }

  private assert(group: string, term: Election['current'] & object): void {
    const held = this.terms.get(term)
    const before = nowMs()
    try {
      term.assert()
    } catch {
      this.terms.delete(term)
      return
    }
    // Passed at some moment between the two readings: between `first` and `last` it was held without doubt.
    const next = held ?? { group, term: term.number, first: nowMs(), last: before }
    next.last = before
    this.terms.set(term, next)
    this.passed.add(next)
  }
}

async function run({ id, key, listen, state, groups }: PortMemberOrder): Promise<void> {
  const members = Object.assign({}, ...Object.values(groups)) as Record<string, string>
  const transport = tcp({ key })
  const node = await open({ id, listen, state, members, transport, shareHeartbeats: true })
  const joined = await Promise.all(
    Object.entries(groups).map(async ([group, peers]) => {
      return [group, await node.join({ group, members: peers })] as const
    }),
  )
  const terms = new HeldTerms()
  setInterval(() => joined.forEach(([group, election]) => terms.look(group, election)), ASSERT_MS)
  const report = (more: Partial<PortMemberReport> = {}): void => {
    const known = joined.flatMap(([group, { view }]) =>
      view.kind === 'leader' ? [[group, { leader: view.leader, term: view.term }] as const] : [],
    )
    const rssMb = process.memoryUsage().rss / (1 << 20)
    const held = terms.take()
    const leads = [...new Set(held.map(({ group }) => group))]
    const views = Object.fromEntries(known)
    process.send?.({ views, leads, held, rssMb, ...more } satisfies PortMemberReport)
  }
  setInterval(report, REPORT_MS)
  process.on('message', () => {
    globalThis.gc?.()
    report({ heapMb: process.memoryUsage().heapUsed / (1 << 20) })
  })
}

process.once('disconnect', () => process.exit())
process.once('message', (order: PortMemberOrder) => void run(order))
