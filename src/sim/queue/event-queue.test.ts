import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvariantError } from '../../core/assert.ts'
import { Random } from '../../core/random.ts'
import { Schedule } from './schedule.ts'
import { EventQueue } from './event-queue.ts'

const DAY = 86_400_000_000

/** What the queue does, done naively: a list, the first of the soonest leaves. */
class NaiveQueue {
  now = 0
  private readonly list: { time: number; name: number }[] = []

  push(time: number, name: number): void {
    this.list.push({ time, name })
  }

  pop(): number | undefined {
    const soonest = this.list.reduce((least, { time }) => Math.min(least, time), Infinity)
    const place = this.list.findIndex(({ time }) => time === soonest)
    if (place < 0) return undefined
    this.now = soonest
    return this.list.splice(place, 1)[0].name
  }

  pending(): { time: number; name: number }[] {
    return [...this.list].sort((a, b) => a.time - b.time)
  }
}

/** The queue under test with names for its events, as an owner would keep them. */
class NamedQueue {
  readonly queue = new EventQueue()
  private names: number[] = []

  push(time: number, name: number): void {
    this.names[this.queue.push(time)] = name
  }

  pop(): number | undefined {
    const event = this.queue.pop()
    return event < 0 ? undefined : this.names[event]
  }

  pending(): { time: number; name: number }[] {
    return this.queue.pending().map(({ event, time }) => ({ time, name: this.names[event] }))
  }

  refill(): void {
    const waiting = this.pending()
    this.queue.clear()
    this.names = []
    for (const { time, name } of waiting) this.push(time, name)
  }
}

/** Delays of a microsecond, of a turn of each level of the wheel, of days. */
const delay = fc.oneof(
  fc.constant(0),
  fc.nat(3),
  fc.nat(20_000),
  fc.constantFrom(2 ** 14 - 1, 2 ** 14, 2 ** 28 - 1, 2 ** 28, 2 ** 42 - 1, 2 ** 42),
  fc.nat(300_000_000),
  fc.integer({ min: 0, max: 400 * DAY }),
)

const operation = fc.oneof(
  { arbitrary: fc.record({ verb: fc.constant('push'), delay }), weight: 4 },
  { arbitrary: fc.record({ verb: fc.constant('pop'), delay: fc.constant(0) }), weight: 3 },
  fc.record({ verb: fc.constantFrom('pending', 'refill'), delay: fc.constant(0) }),
)

describe('EventQueue', () => {
  test('gives what a sorted list gives, first come first served at equal times', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 300 }), (operations) => {
        const [ours, naive] = [new NamedQueue(), new NaiveQueue()]
        const seen: unknown[] = []
        const expected: unknown[] = []
        operations.forEach(({ verb, delay }, name) => {
          if (verb === 'push') {
            ours.push(ours.queue.now + delay, name)
            naive.push(naive.now + delay, name)
          } else if (verb === 'pop') {
            seen.push(ours.pop(), ours.queue.now)
            expected.push(naive.pop(), naive.now)
          } else {
            if (verb === 'refill') ours.refill()
            seen.push(ours.pending())
            expected.push(naive.pending())
          }
        })
        for (let more = naive.pop(); more !== undefined; more = naive.pop()) {
          seen.push(ours.pop(), ours.queue.now)
          expected.push(more, naive.now)
        }
        expect(seen).toEqual(expected)
        expect([ours.pop(), ours.queue.size]).toEqual([undefined, 0])
      }),
      { numRuns: 300 },
    )
  })

  test('keeps the order of a hundred thousand random events', () => {
    const random = new Random(1)
    const queue = new NamedQueue()
    const times: number[] = []
    for (let name = 0; name < 100_000; name++) {
      times.push(random.below(random.chance(0.5) ? 1000 : 40 * DAY))
      queue.push(times[name], name)
    }
    const order = [...times.keys()].sort((a, b) => times[a] - times[b])
    expect(queue.pending().map(({ name }) => name)).toEqual(order)
    expect(order.map(() => queue.pop())).toEqual(order)
  })

  test('refuses the past and what is no whole microsecond, which it could only lose', () => {
    const queue = new EventQueue()
    queue.push(100)
    queue.pop()
    for (const time of [99, 0, -1, NaN, 100.5, Infinity]) {
      expect(() => queue.push(time), `at ${time}`).toThrow(InvariantError)
    }
    expect(queue.size).toBe(0)
  })
})

describe('Schedule', () => {
  test('gives back every column of an event, also beyond its first room and after being replaced', () => {
    const schedule = new Schedule()
    const payload = { some: 'thing' }
    for (let i = 0; i < 5000; i++)
      schedule.push(5000 - i, i % 11, i, -i, 2 * i, i === 17 ? payload : i)
    const other = new Schedule()
    other.replace(schedule.pending())
    for (const each of [schedule, other]) {
      for (let i = 4999; i >= 0; i--) {
        each.take()
        const { now, kind, node, a, b, payload: carried } = each
        if (now + i !== 5000) throw new Error(`${now} at ${i}`)
        const expected = [i % 11, i, -i, 2 * i, i === 17 ? payload : i]
        if ([kind, node, a, b, carried].some((value, k) => value !== expected[k])) {
          throw new Error(`event ${i} came back as ${[kind, node, a, b].join()}`)
        }
      }
      expect(each.take()).toBe(false)
    }
  })
})
