/**
 * Builds the arrows of a diagram, one for each message from its sending to its delivery or loss, and says which are
 * periodic.
 */
import type { Algorithm, AnyMessage } from '../core/algorithm.ts'
import { groupBy } from '../sim/record/group-by.ts'
import { boundUs } from '../sim/network/latency.ts'
import type { RecordedStep } from '../sim/record/recording.ts'
import type { Sending } from '../sim/record/step.ts'
import type { Arrow, ArrowPurpose, DiagramSource } from './model.ts'

export function arrowsOf({ config, recording }: DiagramSource, endUs: number): Arrow[] {
  const { labels, algorithm, network } = config
  const purposes = new Map(Object.entries(algorithm.purposes))
  const purposeOf = ({ part, message }: Sending): ArrowPurpose =>
    part === 'detector' ? 'detector' : (purposes.get(message.type) ?? 'election')
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
    const unheeded =
      end === null ||
      (end.changes.length === 0 && end.sendings.every((sent) => isPeriodic(algorithm, sent)))
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
      routine: isPeriodic(algorithm, sending) && unheeded,
      decisive: end !== null && end.changes.some(({ field }) => field === 'leader'),
    }
  }

  const gapUs = network?.send === 'sequential' ? boundUs(network.latency) : 0
  // A duplicated message ends more than once.
  const ends = groupBy(recording.entries.filter(isEnd), ({ step }) => step.sent)
  const arrows = recording.entries.flatMap((entry) =>
    entry.sendings.flatMap((sending, k) =>
      (ends.get(sending.sent) ?? [null]).map((end, copy) =>
        arrowOf(sending, entry.at + k * gapUs, end, copy),
      ),
    ),
  )
  return arrows.sort((a, b) => a.leftAt - b.leftAt)
}

type EndStep = RecordedStep & { readonly step: { readonly kind: 'deliver' | 'lose' } }

function isEnd(entry: RecordedStep): entry is EndStep {
  return entry.step.kind === 'deliver' || entry.step.kind === 'lose'
}

export function isPeriodic({ purposes }: Algorithm, { part, message }: Sending): boolean {
  return part === 'detector' || purposes[message.type] === 'heartbeat'
}
