/**
 * Numbers the records of a live group and keeps the latest for pages that connect later: a fixed number of events, and
 * of samples one a second for each member.
 */
import type { LiveRecord } from './live-record.ts'

export interface NumberedRecord {
  readonly seq: number
  readonly record: LiveRecord
}

/** One sample a second is kept for each member, up to this many values in all. */
const SAMPLE_EVERY_MS = 1000
const MOST_SAMPLE_VALUES = 200_000
const MOST_EVENTS = 10_000

export class RecordHistory {
  private seq = 0
  private events: NumberedRecord[] = []
  private samples: NumberedRecord[] = []
  private sampleValues = 0
  private readonly sampledAt = new Map<string, number>()

  add(record: LiveRecord): NumberedRecord {
    const numbered = { seq: ++this.seq, record }
    if (record.kind !== 'sample') {
      this.events.push(numbered)
      if (this.events.length > MOST_EVENTS) this.events = this.events.slice(-MOST_EVENTS / 2)
    } else if (record.at - (this.sampledAt.get(record.node) ?? -Infinity) >= SAMPLE_EVERY_MS) {
      this.sampledAt.set(record.node, record.at)
      this.samples.push(numbered)
      this.sampleValues += weightOf(record)
      if (this.sampleValues <= MOST_SAMPLE_VALUES) return numbered
      // Rare, so the cost for each record is small.
      this.samples = this.samples.slice(this.samples.length >> 1)
      this.sampleValues = this.samples.reduce((sum, { record }) => sum + weightOf(record), 0)
    }
    return numbered
  }

  since(seq: number): NumberedRecord[] {
    const later = [...this.events, ...this.samples].filter((numbered) => numbered.seq > seq)
    return later.sort((a, b) => a.seq - b.seq)
  }

  get latest(): number {
    return this.seq
  }
}

function weightOf(record: LiveRecord): number {
  return record.kind === 'sample' ? 8 + 4 * record.peers.length : 8
}
