import { describe, expect, expectTypeOf, test } from 'vitest'
import { checkOptionTable, type OptionTable } from './option-kinds.ts'
import { JOIN_OPTIONS, PROCESS_OPTIONS, type JoinOptions } from './option-table.ts'

const ALL: OptionTable = { ...JOIN_OPTIONS, ...PROCESS_OPTIONS }

describe('the table of options', () => {
  test('gives JoinOptions its names and types', () => {
    expectTypeOf<keyof JoinOptions>().toEqualTypeOf<keyof typeof JOIN_OPTIONS>()
    expectTypeOf<JoinOptions['drain']>().toEqualTypeOf<string | number | undefined>()
    expectTypeOf<JoinOptions['id']>().toEqualTypeOf<string>()
    expectTypeOf<JoinOptions<'advisory'>['safety']>().toEqualTypeOf<'advisory' | undefined>()
  })

  test('accepts each of its own defaults', () => {
    const rows = Object.entries(ALL).filter(([, row]) => row.default !== undefined)
    expect(rows.map(([name]) => name)).toContain('drain')
    for (const [name, row] of rows) expect(() => row.check(row.default, name)).not.toThrow()
  })

  test('uses no flag twice', () => {
    const flags = (table: OptionTable): string[] =>
      Object.entries(table).flatMap(([name, { flag, rows = {} }]) => [
        ...(flag === undefined ? [] : [name]),
        ...flags(rows),
      ])
    expect(new Set(flags(ALL)).size).toBe(flags(ALL).length)
  })

  test('fills in defaults, and names what is missing or unknown', () => {
    const given = { group: 'g', id: 'a', members: { a: 'h:1' } }
    expect(checkOptionTable(JOIN_OPTIONS, given)).toMatchObject({
      drain: 10_000,
      members: [{ name: 'a', address: 'h:1', priority: 0 }],
      state: '.bellwether',
    })
    const check = (more: object) => () => checkOptionTable(JOIN_OPTIONS, { ...given, ...more })
    expect(check({ id: undefined })).toThrow('id: is missing')
    expect(check({ group: 'g\ud800' })).toThrow('group: must be a text of 1 to 200 characters')
    expect(check({ preemption: {} })).toThrow('preemption.after: is missing')
    expect(check({ drian: 1 })).toThrow('drian: no such option; possible: group, id')
    expect(check({ drain: '1' })).toThrow(`drain: must be a time such as '500ms' or '30s', not "1"`)
    expect(check({ safety: 'sure' })).toThrow(
      'must be quorum, advisory or fenced(engine), not "sure"',
    )
  })

  test('a file may hold only what JSON can express', () => {
    const check = (given: object) => () =>
      checkOptionTable(ALL, given, '', { partial: true, inFile: true })
    expect(check({ drain: '5s', http: '127.0.0.1:0' })).not.toThrow()
    expect(check({ signal: {} })).toThrow('signal: no such option')
    expect(check({ state: {} })).toThrow('state: must be a text')
    expect(check({ safety: { kind: 'fenced' } })).toThrow('must be one of quorum, advisory')
  })
})
