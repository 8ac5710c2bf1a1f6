/** The comments of an algorithm's fields are found in its own file, in its helpers and in theirs. */
import { expect, test } from 'vitest'
import { fieldComments } from './algorithm-sources.ts'

test.each([
  ['bully-fd', 'down', 'superiors reported down in this stage'],
  ['bully-fd-quorum', 'passed', 'superiors that backed off or resigned: their turn is over'],
  ['bully-fd-quorum', 'odd', 'which of the two timers runs from the round that is out'],
  ['roulette-majority', 'waited', 'not admitted: has outwaited every lease'],
])('%s explains its field %s', async (algorithm, field, comment) => {
  expect((await fieldComments(algorithm)).get(field)).toBe(comment)
})
