/** Builds the arrows of a diagram: one for each message, from its sending to its delivery or loss. */
import type { AnyMessage } from '../core/algorithm.ts'
import { boundUs } from '../sim/network/latency.ts'
import type { RecordedStep } from '../sim/record/recording.ts'
import type { Sending } from '../sim/record/step.ts'
import type { Arrow, ArrowPurpose, DiagramSource } from './model.ts'

export function arrowsOf({ config, recording }: DiagramSource, endUs: number): Arrow[] {
  const { labels, algorithm, network } = config
  const purposes = new Map(Object.entries(algorithm.purposes))
  const purposeOf = ({ part, message }: Sending): ArrowPurpose =>
    part === 'detector' ? 'detector' : (purposes.get(message.type) ?? 'election')
  const isPeriodic = (sending: Sending): boolean => {
    const purpose = purposeOf(sending)
    return purpose === 'heartbeat' || purpose === 'detector'
  }
  // The messages of a multicast are one object, whose text is built once.
  const texts = new Map<AnyMessage, string>()
  const textOf = ({ message, part }: Sending): string => {
    const known = texts.get(message)
    if (known !== undefined) return known
    const text = recording.show(message, part)
    texts.set(message, text)
    return text
  }
  const arrowOf = (
    sending: Sending,
    leftAt: number,
    end: RecordedStep | null,
    copy: number,
  ): Arrow => {
    const lost = sending.lost !== null || end?.step.kind === 'lose'
    const why = end?.step.kind === 'lose' ? end.step.why : (sending.lost ?? '')
    const unheeded = end === null || (end.changes.length === 0 && end.sendings.every(isPeriodic))
    return {
      from: labels.of(sending.from),
      to: labels.of(sending.to),
      leftAt: end === null ? leftAt : Math.min(leftAt, end.at),
      endAt: end === null ? (lost ? leftAt : Math.max(endUs, leftAt)) : end.at,
      fate: lost ? 'lost' : end === null ? 'under way' : 'delivered',
      why,
      type: sending.message.type,
      text: textOf(sending),
      part: sending.part,
      purpose: purposeOf(sending),
      duplicate: copy > 0,
      routine: isPeriodic(sending) && unheeded,
      decisive: end !== null && end.changes.some(({ field }) => field === 'leader'),
    }
  }

  const gapUs = network?.send === 'sequential' ? boundUs(network.latency) : 0
  const ends = new Ends(recording.entries)
  const arrows: Arrow[] = []
  for (const entry of recording.entries) {
    entry.sendings.forEach((sending, k) => {
      const leftAt = entry.at + k * gapUs
      arrows.push(arrowOf(sending, leftAt, ends.first.get(sending.sent) ?? null, 0))
      ends.more.get(sending.sent)?.forEach((end, i) => {
        arrows.push(arrowOf(sending, leftAt, end, i + 1))
      })
    })
  }
  return arrows.sort((a, b) => a.leftAt - b.leftAt)
}

/** The steps that ended each message; a duplicated message has several. */
class Ends {
  readonly first = new Map<number, RecordedStep>()
  readonly more = new Map<number, RecordedStep[]>()

  constructor(entries: readonly RecordedStep[]) {
    for (const entry of entries) {
      const { step } = entry
      if (step.kind !== 'deliver' && step.kind !== 'lose') continue
      if (!this.first.has(step.sent)) this.first.set(step.sent, entry)
      else this.more.set(step.sent, [...(this.more.get(step.sent) ?? []), entry])
    }
  }
}
