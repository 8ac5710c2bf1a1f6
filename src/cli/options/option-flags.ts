/**
 * Turns a table of options into the flags of a command, reads their values, and writes them as arguments for a child
 * process.
 */
import { InvalidArgumentError, Option, type Command } from 'commander'
import type { OptionRow, OptionTable } from '../../runtime/options/option-kinds.ts'

/** Makes a parser of flags that are whole numbers. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/u.test(text) ? Number(text) : NaN
    if (value >= min && value <= max) return value
    throw new InvalidArgumentError(`must be a whole number from ${min} to ${max}.`)
  }
}

export const parsePort = wholeNumber(0, 65_535)

/** Parses a flag that may be repeated. */
export function collect(value: string, list: readonly string[] = []): string[] {
  return [...list, value]
}

/** What commander makes of the flags, by the names of the options. */
export type FlagValues = Readonly<Record<string, unknown>>

export function addFlags(command: Command, table: OptionTable): Command {
  for (const [name, row] of rowsWithFlags(table)) {
    const { flag, help, defaultText, words, default: value } = row
    const shown = defaultText === undefined || value === false ? '' : ` (default: ${defaultText})`
    const long = longName(name, row)
    const form = flag === '' ? long : `${long} <${flag}>`
    const option = new Option(form, `${help}${shown}`)
    command.addOption(words === undefined ? option : option.choices(words))
  }
  return command
}

/** The values that were given as flags, arranged as in the configuration file. */
export function valuesOf(flags: FlagValues, table: OptionTable): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, row] of Object.entries(table)) {
    const inside = row.rows === undefined ? {} : valuesOf(flags, row.rows)
    const value = row.flag === undefined ? undefined : flags[row.flagName ?? name]
    if (value !== undefined) values[name] = row.parseFlag?.(value as string) ?? value
    else if (Object.keys(inside).length > 0) values[name] = inside
  }
  return values
}

export function argumentsOf(flags: FlagValues, table: OptionTable): string[] {
  return rowsWithFlags(table)
    .filter(([name, { flagName = name }]) => flags[flagName] !== undefined)
    .flatMap(([name, row]) => [
      longName(name, row),
      ...(row.flag === '' ? [] : [String(flags[row.flagName ?? name])]),
    ])
}

function rowsWithFlags(table: OptionTable): [string, OptionRow][] {
  return Object.entries(table).flatMap(([name, row]) => [
    ...(row.flag === undefined ? [] : [[name, row] as [string, OptionRow]]),
    ...(row.rows === undefined ? [] : rowsWithFlags(row.rows)),
  ])
}

function longName(name: string, { flagName = name }: OptionRow): string {
  return `--${flagName.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`
}
