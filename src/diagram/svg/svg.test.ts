import { describe, expect, test } from 'vitest'
import { expectGolden } from '../../../test/support/golden.ts'
import { sampleRun } from '../../../test/support/sample-run.ts'
import { renderSvg } from './svg.ts'
import { layOut } from '../layout/layout.ts'

const failover = sampleRun('bully nodes 5 crash 5@100ms').space

/** Tags that open and close as they should, attributes quoted, nothing unescaped. */
function expectWellFormed(svg: string): void {
  const open: string[] = []
  const closed: (string | undefined)[] = []
  const names: string[] = []
  const rest = svg.replaceAll(
    /<(\/?)([a-zA-Z]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/gu,
    (_, close: string, name: string, _attributes: string, alone: string) => {
      if (close === '/') {
        closed.push(open.pop())
        names.push(name)
      } else if (alone === '') open.push(name)
      return ''
    },
  )
  expect(open).toEqual([])
  expect(closed).toEqual(names)
  expect(rest).not.toMatch(/[<>]|&(?!(?:amp|lt|gt|quot);)/u)
}

describe('the SVG', () => {
  test.each([
    'bully nodes 2',
    'bully nodes 5 crash 5@100ms',
    'bully nodes 8 initiator 2 down 8',
    'bully nodes 5 cut 1,2|3,4,5@100ms heal @300ms',
    'bully nodes 4 loss 0.25 seed 7',
    'bully nodes 2 pause 1@50ms resume 1@80ms slow 2+3ms@90ms drop 1>2@95ms',
    'bully-as-printed nodes 3 latency 2ms crash 3@50ms recover 3@100ms drop 3>1@100ms',
    'bully nodes 16 crash 16@100ms',
  ])('of %s is well-formed and the same twice', (text) => {
    const svg = renderSvg(sampleRun(text).space)
    expectWellFormed(svg)
    expect(svg).toBe(renderSvg(sampleRun(text).space))
    expect(svg).not.toContain('NaN')
    expect(svg).not.toContain('undefined')
  })

  test('escapes what a name may contain', () => {
    const svg = renderSvg({ ...failover, algorithm: '<a & "b">' })
    expect(svg).toContain('&lt;a &amp; &quot;b&quot;&gt;, 5 members, seed 1')
    expectWellFormed(svg)
  })

  test('says in words what it shows', () => {
    const desc = /<desc[^>]*>(.*)<\/desc>/u.exec(renderSvg(failover))?.[1]
    expect(desc).toMatch(/7\d messages, 4 of them lost/u)
    expect(desc).toContain('In the end member 4 leads in term 2.')
    expect(desc).toContain('At 100 ms member 5 crashes.')
    expect(desc).toMatch(/No agreed leader from 100 ms, 3\d(?:\.\d)? ms\./u)
  })

  test('labels bands with their length, breaks with what they hide, and lost messages', () => {
    const svg = renderSvg(failover)
    expect(svg).toMatch(/>3\d(?:\.\d)? ms</u)
    expect(svg).toMatch(/>8\d(?:\.\d)? ms without news</u)
    expect(svg).toContain('without news, 15 × heartbeat<')
    expect(svg).toContain('>election – 5 is down<')
  })

  test('numbers broken promises and spells them out below', () => {
    const run = sampleRun(
      'bully-as-printed nodes 3 latency 2ms crash 3@50ms recover 3@100ms drop 3>1@100ms',
    )
    const svg = renderSvg(run.space)
    expect(svg).toContain('>! 1<')
    expect(svg).toContain('! 1 at 696 ms, agreement: after quiet, 1 follows 2')
  })

  test('knows dark paper', () => {
    expect(renderSvg(failover)).toContain('@media (prefers-color-scheme:dark)')
  })

  test('is what it was', () => {
    expectGolden('bully-3.svg', renderSvg(sampleRun('bully nodes 3 initiator 1 down 3').space))
  })
})

describe('the layout', () => {
  test('prints no name over another', () => {
    const { arrows } = layOut(failover)
    const labels = arrows.flatMap(({ label }) => label ?? [])
    expect(labels.length).toBeGreaterThan(40)
    labels.forEach((a, i) => {
      for (const b of labels.slice(i + 1)) {
        expect(Math.abs(a.x - b.x) > 12 || Math.abs(a.y - b.y) > 8).toBe(true)
      }
    })
  })

  test('names nearly every message of runs up to 300 messages', () => {
    const { arrows, dense } = layOut(sampleRun('bully nodes 8 crash 8@100ms').space)
    const nameless = arrows.filter(({ label }) => label === null)
    expect(dense).toBe(false)
    expect(nameless.length / arrows.length).toBeLessThan(0.15)
  })

  test('leaves out names first, then messages that changed no leader, and says so', () => {
    const twelve = layOut(sampleRun('bully nodes 12 crash 12@100ms').space)
    expect(twelve.dense).toBe(true)
    expect(twelve.leftOut.join(' ')).toContain('no room for a name')
    const many = layOut(sampleRun('bully nodes 24 crash 24@100ms').space)
    expect(many.arrows.every(({ messages }) => messages.some((m) => m.decisive))).toBe(true)
    expect(many.leftOut.join(' ')).toContain('Too many for one picture')
  })

  test('draws no periodic message where nothing else happens', () => {
    const { arrows, leftOut } = layOut(failover)
    expect(arrows.some(({ messages }) => messages[0].routine)).toBe(false)
    expect(leftOut[0]).toBe('Periodic messages that changed nothing are not drawn: 15.')
  })
})
