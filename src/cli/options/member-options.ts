/** The options of a member as flags and as a configuration file: both follow the table of src/runtime/options. */
import { readFileSync } from 'node:fs'
import { Option, type Command } from 'commander'
import { ConfigurationError, type JoinOptions, type TcpOptions } from '../../index.ts'
import { fenced } from '../../runtime/fencing/fenced.ts'
import {
  checkOptionTable,
  type OptionRow,
  type OptionTable,
} from '../../runtime/options/option-kinds.ts'
import { JOIN_OPTIONS, PROCESS_OPTIONS } from '../../runtime/options/option-table.ts'
import { engineFrom } from './engine-url.ts'
import { UsageError } from '../errors.ts'

/** What commander makes of the flags, by the names of the options. */
export type MemberFlags = Readonly<Record<string, string | boolean | undefined>>
type Values = Record<string, unknown>

/** What the flags and the file say together. */
export interface MemberConfig {
  /** `join` checks the values. */
  readonly options: JoinOptions
  /** How frames are protected. */
  readonly protection: TcpOptions
  /** Where the member serves its status. */
  readonly http: string | undefined
}

const TABLE: OptionTable = { ...JOIN_OPTIONS, ...PROCESS_OPTIONS }
const PROTECTION = ['tls', 'sharedKey', 'insecurePlaintext']
const GROUP = 'default'

export function addMemberOptions(command: Command): Command {
  command.option('--config <file>', 'JSON file with these options; flags override the file')
  return addFlags(command, TABLE)
}

/** Adds a flag for each row that has one. The flag is the name of the option in kebab-case. */
export function addFlags(command: Command, table: OptionTable): Command {
  for (const [name, row] of Object.entries(table)) {
    if (row.flag !== undefined) command.addOption(flagOf(name, row, row.flag))
    if (row.rows !== undefined) addFlags(command, row.rows)
  }
  return command
}

function flagOf(
  name: string,
  { help, usual, words, default: value }: OptionRow,
  form: string,
): Option {
  const long = `--${name.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`
  const shown = usual === undefined || value === false ? '' : ` (default: ${usual})`
  const option = new Option(form === '' ? long : `${long} <${form}>`, `${help}${shown}`)
  return words === undefined ? option : option.choices(words)
}

/** The values that were given as flags, arranged as in the file. */
export function flagValues(flags: MemberFlags, table: OptionTable): Values {
  const values: Values = {}
  for (const [name, row] of Object.entries(table)) {
    const inside = row.rows === undefined ? {} : flagValues(flags, row.rows)
    const value = row.flag === undefined ? undefined : flags[name]
    if (value !== undefined) values[name] = row.parseFlag?.(String(value)) ?? value
    else if (Object.keys(inside).length > 0) values[name] = inside
  }
  return values
}

/** Flags override the file; a flag of protection overrides all protection in the file. */
export function readMemberConfig(flags: MemberFlags): MemberConfig {
  const given = flagValues(flags, TABLE)
  const file = flags['config'] === undefined ? {} : readConfig(String(flags['config']))
  if (PROTECTION.some((name) => name in given)) for (const name of PROTECTION) delete file[name]
  const timing = { ...(file['timing'] as object), ...(given['timing'] as object) }
  const values: Values = { group: GROUP, ...file, ...given, timing }
  for (const [name, { required }] of Object.entries(JOIN_OPTIONS as OptionTable)) {
    if (required === true && values[name] === undefined) {
      throw new UsageError(`--${name} is missing; see --help`)
    }
  }
  const { engine, vouch, http, tls, sharedKey, insecurePlaintext } = checkProcess(values)
  const options = Object.fromEntries(
    Object.entries(values).filter(([name]) => !(name in PROCESS_OPTIONS)),
  )
  if (engine === undefined && vouch !== undefined)
    throw new UsageError('--vouch goes with --engine')
  if (engine !== undefined) {
    if ('safety' in values) throw new UsageError('give --engine or --safety, not both')
    options['safety'] = fenced(engineFrom(engine), vouch && { vouch })
  }
  return {
    options: options as unknown as JoinOptions,
    protection: {
      ...(tls && { tls }),
      ...(sharedKey !== undefined && { key: readFileSync(sharedKey) }),
      ...(insecurePlaintext === true && { insecurePlaintext }),
    },
    http,
  }
}

function checkProcess(values: Values) {
  const own = Object.entries(values).filter(([name]) => name in PROCESS_OPTIONS)
  const { tls } = values
  if (tls !== undefined && Object.keys(tls as object).length < 3) {
    throw new UsageError('mutual TLS takes --ca, --certificate and --key together')
  }
  return checkOptionTable(PROCESS_OPTIONS, Object.fromEntries(own))
}

function readConfig(file: string): Values {
  const text = readFileSync(file, 'utf8')
  try {
    const json = JSON.parse(text) as unknown
    checkOptionTable(TABLE, json, '', { partial: true, inFile: true })
    return { ...(json as object) }
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof ConfigurationError)) throw error
    throw new UsageError(`${file}: ${error.message}`, { cause: error })
  }
}
