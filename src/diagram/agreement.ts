/** Computes the periods of a diagram without an agreed leader, and those with different leaders followed. */
import type { Lane, Span } from './model.ts'

interface Turn {
  readonly at: number
  readonly label: number
  readonly up: boolean
  /** The newest configuration names it. Others need not agree, but one may lead until it has handed over. */
  readonly inside: boolean
  readonly leader: number
}

export function agreementSpans(
  lanes: readonly Lane[],
  endUs: number,
): { readonly leaderless: readonly Span[]; readonly splits: readonly Span[] } {
  const turns: Turn[] = lanes.flatMap(({ label, intervals }) =>
    intervals.map(({ from, state, leader, inside }) => {
      return { at: from, label, up: state !== 'down', inside, leader }
    }),
  )
  turns.sort((a, b) => a.at - b.at)
  const beliefs = new Beliefs()
  const leaderless = new SpanWriter()
  const splits = new SpanWriter()
  turns.forEach((turn, i) => {
    beliefs.turn(turn)
    // A state that lasts for no time is not shown.
    if (turns[i + 1]?.at === turn.at) return
    leaderless.note(turn.at, !beliefs.agreed)
    splits.note(turn.at, beliefs.split)
  })
  return { leaderless: leaderless.end(endUs), splits: splits.end(endUs) }
}

/** Which members are up and whom they follow, updated in constant time. */
class Beliefs {
  private readonly seats = new Map<number, Turn>()
  private readonly followers = new Map<number, number>()
  private upCount = 0

  turn(turn: Turn): void {
    const before = this.seats.get(turn.label)
    if (before !== undefined && counts(before)) this.count(before.leader, -1)
    if (counts(turn)) this.count(turn.leader, 1)
    this.seats.set(turn.label, turn)
  }

  get agreed(): boolean {
    if (this.followers.size !== 1) return false
    const [leader] = this.followers.keys()
    return leader !== 0 && this.seats.get(leader)?.up === true && this.upCount > 0
  }

  get split(): boolean {
    return this.followers.size - (this.followers.has(0) ? 1 : 0) > 1
  }

  private count(leader: number, by: 1 | -1): void {
    this.upCount += by
    const count = (this.followers.get(leader) ?? 0) + by
    if (count === 0) this.followers.delete(leader)
    else this.followers.set(leader, count)
  }
}

function counts({ up, inside }: Turn): boolean {
  return up && inside
}

class SpanWriter {
  private readonly spans: Span[] = []
  private since = -1

  note(at: number, holds: boolean): void {
    if (holds && this.since < 0) this.since = at
    else if (!holds && this.since >= 0) {
      if (at > this.since) this.spans.push({ from: this.since, to: at })
      this.since = -1
    }
  }

  end(at: number): readonly Span[] {
    this.note(at, false)
    return this.spans
  }
}
