/** Stores the network of the stepper: messages in flight on each link, in the order of sending, and cut links. */
import type { AnyMessage } from '../../core/algorithm.ts'
import type { NodeId } from '../../core/node-id.ts'

interface MessageInFlight {
  readonly message: AnyMessage
  /** Its number in the order of sending. */
  readonly sent: number
}

export class StepperNetwork {
  private readonly links = new Map<string, MessageInFlight[]>()
  private readonly cuts = new Set<string>()

  /** The messages in flight, oldest first. The caller may change the list. */
  link(from: NodeId, to: NodeId): MessageInFlight[] {
    const key = `${from}→${to}`
    const link = this.links.get(key) ?? []
    this.links.set(key, link)
    return link
  }

  isCut(from: NodeId, to: NodeId): boolean {
    return this.cuts.has(`${from}→${to}`)
  }

  cut(from: readonly NodeId[], to: readonly NodeId[]): void {
    for (const a of from) for (const b of to) if (a !== b) this.cuts.add(`${a}→${b}`)
  }

  heal(from?: readonly NodeId[], to?: readonly NodeId[]): void {
    if (from === undefined || to === undefined) this.cuts.clear()
    else for (const a of from) for (const b of to) this.cuts.delete(`${a}→${b}`)
  }
}
