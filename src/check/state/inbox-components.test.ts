import { expect, it } from 'vitest'
import { bullyFd } from '../../algorithms/index.ts'
import { InboxComponents } from './inbox-components.ts'
import { MessageContents } from './message-contents.ts'
import { Summary, SUMMARY_WORDS } from './components.ts'

const contents = new MessageContents(bullyFd, 3)
const notNorm = contents.number({ type: 'notNorm', mark: 0 })

function inboxes(linkCapacity: number): {
  inboxes: InboxComponents
  message: (id: number) => number
} {
  const made = new InboxComponents(contents, linkCapacity, false)
  const words = new Int32Array(2)
  const message = (id: number): number => {
    words[0] = notNorm
    words[1] = id
    return made.messages.number(words, 2)
  }
  return { inboxes: made, message }
}

it('an inbox keeps the order of each link; the order of arrival from different senders does not matter', () => {
  const { inboxes: of, message } = inboxes(2)
  const [first, second, other] = [message(1), message(2), message(3)]
  const one = of.with(of.with(of.with(0, 1, first), 1, second), 3, other)
  const two = of.with(of.with(of.with(0, 3, other), 1, first), 1, second)
  expect(one).toBe(two)
  expect(of.take(one, 1, 0).message).toBe(first)
  expect(of.take(of.take(one, 1, 0).rest, 1, 0).message).toBe(second)
  expect(of.take(of.take(of.take(one, 1, 1).rest, 1, 0).rest, 3, 0).rest).toBe(0)
  expect(of.with(one, 1, other)).toBe(0)
})

it('renaming ids and renaming them back gives the same inbox', () => {
  const { inboxes: of, message } = inboxes(12)
  const inbox = of.with(of.with(0, 1, message(2)), 2, message(1))
  const swapped = Int32Array.from([0, 2, 1])
  const signature = of.summaries[SUMMARY_WORDS * inbox + Summary.SIGNATURE]
  const renamed = of.renamed(inbox, swapped, -1)
  expect(renamed).not.toBe(inbox)
  expect([...of.idsOf(renamed)]).toEqual([1, 2])
  expect(of.renamed(renamed, swapped, signature)).toBe(inbox)
})
