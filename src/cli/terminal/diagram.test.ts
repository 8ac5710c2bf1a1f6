import { describe, expect, test } from 'vitest'
import { expectGolden } from '../../../test/support/golden.ts'
import { sampleRun } from '../../../test/support/sample-run.ts'
import { PLAIN, type Palette } from './styled-line.ts'
import { terminalPicture } from './diagram.ts'
import { elided, rowsOf } from './diagram-rows.ts'

const failover = sampleRun('bully nodes 5 crash 5@100ms').space

describe('the picture in the terminal', () => {
  test.each([60, 80, 120])('fits into %i columns', (width) => {
    for (const nodes of [2, 3, 5, 8, 12]) {
      const { space } = sampleRun(`bully nodes ${nodes} crash ${nodes}@100ms`)
      const lines = terminalPicture(space, { width }).split('\n')
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width)
    }
  })

  test('keeps to about forty rows and says how many are missing', () => {
    const { space } = sampleRun('bully nodes 12 crash 12@100ms')
    const picture = terminalPicture(space)
    expect(picture).toMatch(/⋮ \d+ rows left out/u)
    expect(picture.split('\n').length).toBeLessThanOrEqual(50)
    const kept = elided(rowsOf(space), 40)
    const missing = kept.reduce<number>((n, row) => n + (typeof row === 'number' ? row - 1 : 0), 0)
    expect(kept.length + missing).toBe(rowsOf(space).length)
  })

  test('keeps crashes and elections when rows must go', () => {
    const { space } = sampleRun('bully nodes 12 crash 12@100ms')
    const picture = terminalPicture(space, { width: 160, maxRows: 20 })
    expect(picture).toContain('✕ crashes')
    expect(picture).toContain('★ term 2')
  })

  test('draws arrows from senders to receivers, and marks messages that are lost', () => {
    const picture = terminalPicture(failover)
    expect(picture).toMatch(/●──election──▶─+▶─+▶─+✕ 5 is down/u)
    expect(picture).toMatch(/◀─+◀─+◀─coordinator●/u)
  })

  test('tells how much nothing followed', () => {
    expect(terminalPicture(failover)).toMatch(/⋮ \d+ ms more without news, 15 × heartbeat/u)
  })

  test('uses only ASCII with the option ascii', () => {
    const picture = terminalPicture(failover, { ascii: true })
    expect(picture).toMatch(/^[\n -~]*$/u)
    expect(picture).toContain('o--election-->')
  })

  test('paints with the palette that it is given', () => {
    const loud: Palette = { ...PLAIN, red: (text) => `<${text}>` }
    expect(terminalPicture(failover, { palette: loud })).toContain('<✕>')
  })

  test('shows a leader that resigns, and for whom', () => {
    const { space } = sampleRun('bully-fd-quorum nodes 5 resign 5>3@100ms until 150ms')
    expect(terminalPicture(space)).toMatch(/☆ for 3\n/u)
    expect(terminalPicture(space, { width: 120 })).toMatch(/◀─+resign─+●/u)
    const { space: unnamed } = sampleRun('bully-fd-quorum nodes 5 resign 5@100ms until 150ms')
    expect(terminalPicture(unnamed)).toMatch(/☆ resigns\n/u)
    expect(terminalPicture(unnamed, { ascii: true })).toMatch(/r resigns\n/u)
  })

  test('becomes a list where lanes do not fit beside each other', () => {
    const { space } = sampleRun('bully nodes 30 initiator 28 down 30')
    const picture = terminalPicture(space)
    expect(picture).toContain('28 → 29,30 election (1 lost)')
    expect(picture).toContain('29: term 2')
  })

  test('shows a cut, its healing and a broken promise', () => {
    const cut = sampleRun('bully nodes 3 cut 1|2,3@50ms heal @90ms').space
    expect(terminalPicture(cut)).toContain('cut 1 | 2,3')
    expect(terminalPicture(cut)).toContain('cuts heal')
    const printed = sampleRun(
      'bully-as-printed nodes 3 latency 2ms crash 3@50ms recover 3@100ms drop 3>1@100ms',
    )
    expect(terminalPicture(printed.space)).toContain('! agreement: after quiet, 1 follows 2')
  })

  test('is what it was', () => {
    expectGolden('bully-3.txt', terminalPicture(sampleRun('bully nodes 3 crash 3@50ms').space))
  })
})
