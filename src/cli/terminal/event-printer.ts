/** Prints one line for each event of a member, as a sentence with its time or as JSON. */
import type { EventRecord } from '../../index.ts'
import { sentenceFor } from '../../runtime/log/event-sentence.ts'

/** Writing to a pipe may block: events, which carry their time, wait until an election is over. */
const PRINT_MS = 20

export class EventPrinter {
  private readonly stream: NodeJS.WritableStream
  private readonly json: boolean
  private readonly waiting: string[] = []

  constructor(stream: NodeJS.WritableStream, json: boolean) {
    this.stream = stream
    this.json = json
  }

  print(record: EventRecord): void {
    if (this.json) return this.add(JSON.stringify(record))
    const sentence = sentenceFor(record)
    if (sentence !== '') this.add(`${record.time} ${sentence}`)
    if (record.stack !== undefined) this.add(record.stack.replaceAll(/^/gmu, '    '))
  }

  add(line: string): void {
    if (this.waiting.push(`${line}\n`) === 1) setTimeout(() => this.flush(), PRINT_MS)
  }

  flush(): void {
    this.stream.write(this.waiting.splice(0).join(''))
  }
}
