/** Messages, each tied to where it ended. */
import { boundUs } from '../latency.ts'
import type { Entry, Sending } from '../recording.ts'
import type { Arrow, ArrowPurpose, SpaceTimeSource } from './model.ts'

export function arrowsOf({ config, recording }: SpaceTimeSource, endUs: number): Arrow[] {
  const { labels, algorithm, network } = config
  const purposes = new Map(Object.entries(algorithm.purposes))
  const purposeOf = ({ part, message }: Sending): ArrowPurpose =>
    part === 'detector' ? 'detector' : (purposes.get(message.type) ?? 'election')
  const isPeriodic = (sending: Sending): boolean =>
    ['heartbeat', 'detector'].includes(purposeOf(sending))
  const gapUs = network?.send === 'sequential' ? boundUs(network.latency) : 0
  const ends = endsOf(recording.entries)
  const arrows: Arrow[] = []
  for (const entry of recording.entries) {
    entry.sendings.forEach((sending, k) => {
      const base = {
        from: labels.of(sending.from),
        to: labels.of(sending.to),
        type: sending.message.type,
        text: recording.show(sending.message, sending.part),
        part: sending.part,
        purpose: purposeOf(sending),
      }
      const periodic = isPeriodic(sending)
      const leftAt = entry.at + k * gapUs
      const found = ends.get(sending.sent) ?? []
      if (sending.lost !== null || found.length === 0) {
        const lost = sending.lost !== null
        const rest = { fate: lost ? 'lost' : 'under way', why: sending.lost ?? '' } as const
        const endAt = lost ? leftAt : Math.max(endUs, leftAt)
        arrows.push({ ...base, leftAt, endAt, ...rest, duplicate: false, routine: periodic })
        return
      }
      found.forEach((end, copy) => {
        const lost = end.step.kind === 'lose'
        arrows.push({
          ...base,
          leftAt: Math.min(leftAt, end.at),
          endAt: end.at,
          fate: lost ? 'lost' : 'delivered',
          why: end.step.kind === 'lose' ? end.step.why : '',
          duplicate: copy > 0,
          routine: periodic && end.changes.length === 0 && end.sendings.every(isPeriodic),
        })
      })
    })
  }
  return arrows.sort((a, b) => a.leftAt - b.leftAt)
}

/** Where each message ended: one that was duplicated ends twice. */
function endsOf(entries: readonly Entry[]): Map<number, Entry[]> {
  const ends = new Map<number, Entry[]>()
  for (const entry of entries) {
    const { step } = entry
    if (step.kind !== 'deliver' && step.kind !== 'lose') continue
    const found = ends.get(step.sent)
    if (found === undefined) ends.set(step.sent, [entry])
    else found.push(entry)
  }
  return ends
}
