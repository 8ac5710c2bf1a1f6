/** Tests the plain sentences that describe a step. */
import { expect, test } from 'vitest'
import { algorithms } from '../../../src/algorithms/index.ts'
import { detectors } from '../../../src/detectors/index.ts'
import { parseSettings } from '../../../src/sim/index.ts'
import { settingsFrom } from '../run/edit-settings.ts'
import { runSettings } from '../simulation/run-to-completion.ts'
import { captionOf } from './step-caption.ts'

const captions = (settings: string, nameOf: (label: number) => string = String): string[] => {
  const config = parseSettings(settingsFrom(settings), { algorithms, detectors })
  return runSettings(1, config).run.steps.map((step) => captionOf(step, nameOf))
}

test('a caption says what happened, whom the member follows now, and what it sends', () => {
  const found = captions('bully-fd nodes=3 seed=1 crash=3@70ms recover=3@200ms')
  expect(found).toContain('Member 3 crashes.')
  expect(found).toContain(
    'The failure detector of member 2 reports that member 3 is down. Member 2 no longer follows a leader.',
  )
  expect(
    found.some((text) =>
      /^Member \d receives “ack” from member \d\. It becomes the leader/u.test(text),
    ),
  ).toBe(true)
  expect(found.some((text) => text.includes('sends “halt” to members 1 and 2'))).toBe(true)
})

test('no caption of any fault has the notation of a trace', () => {
  const found = captions(
    'bully-fd-quorum nodes=4 seed=2 pause=4@60ms resume=4@90ms cut=1|2@100ms heal=@120ms slow=2+5ms@130ms drop=1>2@140ms resign=4@150ms crash=3@160ms recover=3@190ms',
  )
  for (const text of found) expect(text).toMatch(/^[A-Z].*\.$/u)
  expect(found.filter((text) => /[→;=]/u.test(text))).toEqual([])
  expect(found).toContain('The link from 1 to 2 is cut.')
  expect(found).toContain('The next message from 1 to 2 is lost.')
})

test('members of a real group have their names', () => {
  const nameOf = (label: number): string => 'abc'[label - 1]
  expect(captions('bully-fd nodes=3 seed=1', nameOf)[0]).toMatch(/^Member [abc] starts\./u)
})
