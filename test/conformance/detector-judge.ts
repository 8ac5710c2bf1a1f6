/** Judges the answers of a detector to an `asker` against the crashes and pauses of the world. */
import type { NodeId } from '../../src/core/node-id.ts'
import type { Fault } from '../../src/sim/faults/fault-catalogue.ts'
import type { World } from '../../src/sim/world/world.ts'
import type { Entry } from '../support/asker.ts'

interface Span {
  readonly from: number
  readonly to: number
}

/** When each member was down (until its election started again), and when it could not answer in time. */
class History {
  private readonly world: World
  private readonly down = new Map<NodeId, Span[]>()
  private readonly gone = new Map<NodeId, Span[]>()
  private readonly stalled = new Map<NodeId, Span[]>()

  constructor(world: World) {
    this.world = world
    const silenceUs = Math.round(1000 * world.config.timing.messageMs)
    for (const member of world.group.everyone) {
      const crashes = this.spans(member, 'crash', 'recover')
      if (world.config.down.includes(member)) {
        const back = world.config.faults.find((f) => f.kind === 'recover' && f.node === member)
        crashes.push({ from: 0, to: back?.at ?? Infinity })
      }
      this.gone.set(member, crashes)
      this.down.set(
        member,
        crashes.map(({ from, to }) => ({ from, to: to + silenceUs })),
      )
      // What a stalled member was asked, it answers when it runs again: that takes up to Tm.
      const stalls = this.spans(member, 'pause', 'resume')
      this.stalled.set(
        member,
        stalls.map(({ from, to }) => ({ from, to: to + silenceUs })),
      )
    }
  }

  /** Whether its election was down at some moment of the span. */
  wasDown(member: NodeId, span: Span): boolean {
    return meets(this.down.get(member)!, span)
  }

  wasStalled(member: NodeId, span: Span): boolean {
    return meets(this.stalled.get(member)!, span)
  }

  /** Whether it ran at some moment of the span. */
  wasUp(member: NodeId, span: Span): boolean {
    return !this.gone.get(member)!.some(({ from, to }) => from <= span.from && span.to < to)
  }

  private spans(member: NodeId, begins: Fault['kind'], ends: Fault['kind']): Span[] {
    const found: Span[] = []
    let from = NaN
    for (const fault of [...this.world.config.faults].sort((a, b) => a.at - b.at)) {
      if (!('node' in fault) || fault.node !== member) continue
      if (fault.kind === begins && Number.isNaN(from)) from = fault.at
      if ((fault.kind === ends || fault.kind === 'crash') && fault.kind !== begins) {
        if (!Number.isNaN(from)) found.push({ from, to: fault.at })
        from = NaN
      }
    }
    if (!Number.isNaN(from)) found.push({ from, to: Infinity })
    return found
  }
}

function meets(spans: readonly Span[], { from, to }: Span): boolean {
  return spans.some((span) => span.from <= to && span.to >= from)
}

/** What is wrong with the answers, in sentences. `truthful`: also whether they are true. */
export function judge(world: World, log: readonly Entry[], truthful: boolean): string[] {
  const history = new History(world)
  const wrong: string[] = []
  const requests = new Map<string, number>()
  const watches = new Map<string, number>()
  for (const { at, me, deed, peer } of log) {
    const key = `${me} about ${peer}`
    if (deed === 'start') {
      for (const open of [requests, watches]) {
        for (const k of open.keys()) if (k.startsWith(`${me} `)) open.delete(k)
      }
    } else if (deed === 'request') requests.set(key, at)
    else if (deed === 'watch') watches.set(key, watches.get(key) ?? at)
    else if (deed === 'unwatch') watches.delete(key)
    else if (deed === 'up' || deed === 'down') {
      const since = requests.get(key) ?? (deed === 'down' ? watches.get(key) : undefined)
      requests.delete(key)
      if (deed === 'down') watches.delete(key)
      if (since === undefined) wrong.push(`${at}: ${key} gets ${deed} without a request`)
      else if (truthful && !isTrue(history, deed, peer, { from: since, to: at })) {
        wrong.push(`${at}: ${key} gets ${deed}, which was not true since ${since}`)
      }
    }
  }
  for (const key of requests.keys()) {
    if (world.isUp(Number(key.split(' ')[0]))) wrong.push(`${key}: never answered`)
  }
  for (const key of watches.keys()) {
    const [me, , peer] = key.split(' ').map(Number)
    if (world.isUp(me) && !world.isUp(peer)) wrong.push(`${key}: watches one that is down`)
  }
  return wrong
}

function isTrue(history: History, deed: 'up' | 'down', peer: NodeId, span: Span): boolean {
  if (deed === 'up') return history.wasUp(peer, span)
  return history.wasDown(peer, span) || history.wasStalled(peer, span)
}
