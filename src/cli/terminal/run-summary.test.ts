import { describe, expect, test } from 'vitest'
import { sampleRun } from '../../../test/support/sample-run.ts'
import { summaryText } from './run-summary.ts'

const summarize = (text: string): string => summaryText(sampleRun(text))
const firstLine = (text: string): string => summarize(text).split('\n')[0]

describe('the summary of a run', () => {
  test('begins with the verdict', () => {
    expect(firstLine('bully nodes 5 latency 2ms crash 5@100ms')).toBe(
      'Member 4 leads in term 2: agreed by all 4 members that are up, 26 ms after the last fault.',
    )
    expect(firstLine('bully nodes 1')).toContain('the only member that is up')
    expect(firstLine('bully nodes 3 initiator 1 down 3')).toContain('after the election was called')
    expect(firstLine('bully nodes 2 crash 1@50ms crash 2@60ms')).toContain('no member is up')
  })

  test('says when there is no agreement, and which promise that breaks', () => {
    const text = summarize(
      'bully-as-printed nodes 3 latency 2ms crash 3@50ms recover 3@100ms drop 3>1@100ms',
    )
    expect(text).toMatch(/^No agreement: after 696 ms .* 1 promise broken, see below\./u)
    expect(text).toContain('Broken at 696 ms: agreement. After quiet, 1 follows 2')
  })

  test('lists members and marks the leader', () => {
    const text = summarize('bully nodes 3 crash 3@50ms')
    expect(text).toMatch(/^★ 2 +up +Norm +itself +2$/mu)
    expect(text).toMatch(/^ {2}3 +down +– +– +1$/mu)
  })

  test('counts members instead of listing them where they are many', () => {
    const text = summaryText({ ...sampleRun('bully nodes 24 crash 24@100ms'), space: null })
    expect(text).toContain('23 members up, 1 down.')
    expect(text).toContain('22 follow 23, 1 leads')
    expect(text).not.toContain('★ 23')
  })

  test('counts every kind of message that the algorithm can send', () => {
    const text = summarize('bully nodes 3')
    for (const type of ['election', 'ok', 'coordinator', 'heartbeat', 'higher']) {
      expect(text).toMatch(new RegExp(`^  ${type} +\\d+`, 'mu'))
    }
    expect(text).toMatch(/^ {2}higher +0 +repair$/mu)
  })

  test('reports what is seen but not promised', () => {
    expect(summarize('bully nodes 3 latency 2ms crash 3@50ms recover 3@200ms')).toContain(
      'Once, for 2 ms in all, members followed different leaders; bully promises agreement only in the end.',
    )
  })

  test('ends with the picture, if the run was recorded', () => {
    const run = sampleRun('bully nodes 3')
    expect(summaryText(run)).toContain('●')
    expect(summaryText({ ...run, space: null })).not.toContain('●')
  })

  test('needs nothing but ASCII if text so', () => {
    const text = summaryText(sampleRun('bully nodes 5 crash 5@100ms'), { ascii: true })
    expect(text).toMatch(/^[\n -~]*$/u)
  })
})
