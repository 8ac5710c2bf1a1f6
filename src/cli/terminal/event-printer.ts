/** Prints one line for each event of a member, as a sentence with its time or as JSON. */
import type { EventRecord } from '../../index.ts'
import { sentenceFor } from '../../runtime/log/event-sentence.ts'

/** Writing to a pipe may block: events, which carry their time, are made text and written when an election is over. */
const PRINT_MS = 20

export class EventPrinter {
  private readonly stream: NodeJS.WritableStream
  private readonly json: boolean
  private readonly waiting: (() => string)[] = []

  constructor(stream: NodeJS.WritableStream, json: boolean) {
    this.stream = stream
    this.json = json
  }

  print(record: EventRecord): void {
    this.addLater(() => (this.json ? `${JSON.stringify(record)}\n` : sentencesFor(record)))
  }

  add(line: string): void {
    this.addLater(() => `${line}\n`)
  }

  flush(): void {
    const lines = this.waiting.splice(0).map((line) => line())
    this.stream.write(lines.join(''))
  }

  private addLater(line: () => string): void {
    if (this.waiting.push(line) === 1) setTimeout(() => this.flush(), PRINT_MS)
  }
}

function sentencesFor(record: EventRecord): string {
  const sentence = sentenceFor(record)
  const line = sentence === '' ? '' : `${record.time} ${sentence}\n`
  return record.stack === undefined ? line : `${line}${record.stack.replaceAll(/^/gmu, '    ')}\n`
}
