import { describe, expect, test } from 'vitest'
import { configurationOf } from '../../../test/support/random/random-configurations.ts'
import { algorithms, bully } from '../../algorithms/index.ts'
import { Labels } from '../../core/group.ts'
import { hashText } from '../../core/hash.ts'
import { NONE, type NodeId } from '../../core/node-id.ts'
import { parseTrace } from '../record/trace.ts'
import { configure, type SimConfig } from '../config.ts'
import { recordRun, summarize, traceOf } from '../run.ts'
import { parseSettings, showSettings } from '../settings/settings.ts'

const SEEDS = Array.from({ length: 200 }, (_, seed) => seed)

function traceFrom(config: SimConfig): string {
  return traceOf(config, recordRun(config).recording)
}

describe('one configuration, one run', () => {
  test('two hundred random configurations give the same bytes twice', () => {
    const different = SEEDS.filter((seed) => {
      const [first, second] = [configurationOf(seed), configurationOf(seed)].map(traceFrom)
      return first !== second
    })
    expect(different).toEqual([])
  })

  test('another seed gives another run', () => {
    const traces = SEEDS.slice(0, 20).map((seed) =>
      traceFrom(configure({ algorithm: bully, members: 5, seed })).replace(/^seed .*$/mu, ''),
    )
    expect(new Set(traces).size).toBe(traces.length)
  })

  test('this run is the same on every machine and in every version: a change here is a change for all', () => {
    const config = configure({
      algorithm: bully,
      members: 5,
      seed: 42,
      network: { loss: 0.1, duplicate: 0.1, reorder: 0.1, send: 'sequential' },
      faults: [
        { at: 100_000, kind: 'crash', node: 5 },
        { at: 250_000, kind: 'pause', node: 3 },
        { at: 300_000, kind: 'recover', node: 5 },
        { at: 350_000, kind: 'resume', node: 3 },
        { at: 400_000, kind: 'cut', from: [5], to: [1, 2] },
        { at: 500_000, kind: 'heal' },
      ],
    })
    const text = traceFrom(config)
    expect([text.split('\n').length, hashText(text)]).toMatchInlineSnapshot(`
      [
        280,
        "8ba7c9e332111fbc",
      ]
    `)
  })

  test('the settings that a run shows lead to the same run', () => {
    const registry = { algorithms, detectors: [] }
    const different = SEEDS.filter((seed) => {
      const config = configurationOf(seed)
      const read = parseSettings(showSettings(config), registry)
      return (
        JSON.stringify(read) !== JSON.stringify(config) || traceFrom(read) !== traceFrom(config)
      )
    })
    expect(different).toEqual([])
  })
})

/** Members under numbers that occur nowhere else. */
class Tokens extends Labels {
  override of(id: NodeId): number {
    return id === NONE ? NONE : TOKEN + id
  }
}
const TOKEN = 77_000_000 // more than any number that is drawn

describe('--strongest lowest', () => {
  const tokens = SEEDS.slice(0, 60).map((seed) => {
    const config = configurationOf(seed)
    return { config, text: traceFrom({ ...config, labels: new Tokens(config.members) }) }
  })

  test('whatever is a member in a trace is written under its label', () => {
    const written = (label: number): boolean => label === NONE || label > TOKEN
    for (const { text } of tokens) {
      const { entries } = parseTrace(text)
      for (const { step, effects, note } of entries) {
        const { verb, ...rest } = step
        const { k: _k, us: _us, ...members } = rest as Record<string, unknown>
        const numbers = Object.values(members)
          .flat()
          .filter((value) => typeof value === 'number')
        expect([verb, numbers.filter((label) => !written(label))]).toEqual([verb, []])
        const naked =
          /^\d{1,3} |^\d{1,3}→|→\d{1,3} |(?:leader|claimant) .*\b[1-9]\b|follows? \d{1,3}\b|\b\d{1,3} follows/u
        expect(
          [note, ...effects].filter((line) => naked.test(line) || /^\d{1,3} is/u.test(line)),
        ).toEqual([])
      }
    }
  })

  test('turns every label round, in settings, steps and effects, and nothing else', () => {
    const different = tokens.filter(({ config, text }) =>
      (['highest', 'lowest'] as const).some((strongest) => {
        const labels = new Labels(config.members, strongest)
        const turned = text
          .replaceAll(/\b77(\d{6})\b/gu, (_, id) => String(labels.of(Number(id))))
          .replace(/^strongest .*$/mu, `strongest ${strongest}`)
        return turned !== traceFrom({ ...config, labels })
      }),
    )
    expect(different.map(({ text }) => text)).toEqual([])
  })

  test('turns the summary round, and it is the same run', () => {
    for (const seed of SEEDS.slice(0, 50)) {
      const config = configurationOf(seed)
      const n = config.members
      const turned = {
        ...config,
        labels: new Labels(n, config.labels.strongest === 'highest' ? 'lowest' : 'highest'),
      }
      const [a, b] = [config, turned].map((c) => summarize(recordRun(c).world))
      const label = (id: number | null): number | null => (id === null ? null : n + 1 - id)
      expect(b).toEqual({
        ...a,
        leader: label(a.leader),
        members: [...a.members]
          .reverse()
          .map((m) => ({ ...m, id: n + 1 - m.id, leader: label(m.leader) })),
        violations: a.violations.map((v, i) => ({ ...v, sentence: b.violations[i].sentence })),
      })
    }
  })
})
