/**
 * Adds the options of a member to a command as flags, and reads them from flags and the configuration file, both by
 * the table of src/runtime/options.
 */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { JoinOptions, TcpOptions } from '../../index.ts'
import { ConfigurationError } from '../../runtime/errors.ts'
import { fenced } from '../../runtime/fencing/fenced.ts'
import { checkOptionTable, type OptionTable } from '../../runtime/options/option-kinds.ts'
import { JOIN_OPTIONS, PROCESS_OPTIONS } from '../../runtime/options/option-table.ts'
import { addFlags, valuesOf, type FlagValues } from './option-flags.ts'
import { engineFrom, engineUrl } from './engine-url.ts'
import { UsageError } from '../errors.ts'

export type MemberFlags = FlagValues
type Values = Record<string, unknown>

export interface MemberConfig {
  /** `join` checks the values. */
  readonly options: JoinOptions & { readonly state: string }
  readonly protection: TcpOptions
  /** Where the member serves its status. */
  readonly http: string | undefined
  /** The files that hold secrets. */
  readonly secrets: readonly string[]
}

const TABLE: OptionTable = { ...JOIN_OPTIONS, ...PROCESS_OPTIONS }
const PROTECTION = ['tls', 'sharedKey', 'insecurePlaintext']
const DEFAULTS = { group: 'default', state: JOIN_OPTIONS.state.default }

export function addMemberOptions(command: Command): Command {
  command.option('--config <file>', 'JSON file with these options; flags override the file')
  return addFlags(command, TABLE)
}

/** What flags and file give. A flag of protection overrides all protection in the file. */
function flagsAndFile(flags: MemberFlags): { readonly given: Values; readonly file: Values } {
  const given = valuesOf(flags, TABLE)
  const file = flags['config'] === undefined ? {} : readConfig(flags['config'] as string)
  if (PROTECTION.some((name) => name in given)) for (const name of PROTECTION) delete file[name]
  return { given, file }
}

/** The group and the members as one sees them who is no member, and how their connections are protected. */
export function readGroupConfig(flags: MemberFlags) {
  const { given, file } = flagsAndFile(flags)
  const { group, members, ...values }: Values = { ...file, ...given }
  return {
    group: group === undefined ? undefined : JOIN_OPTIONS.group.check(group, 'group'),
    members: members === undefined ? undefined : JOIN_OPTIONS.members.check(members, 'members'),
    protection: protectionOf(checkProcess(values)),
  }
}

/** Flags override the file. */
export function readMemberConfig(flags: MemberFlags): MemberConfig {
  const { given, file } = flagsAndFile(flags)
  const timing = { ...(file['timing'] as object), ...(given['timing'] as object) }
  const values: Values = { ...DEFAULTS, ...file, ...given, timing }
  for (const [name, { required }] of Object.entries(JOIN_OPTIONS as OptionTable)) {
    if (required === true && values[name] === undefined) {
      throw new UsageError(`--${name} is missing; see --help`)
    }
  }
  const hasMesh = values['members'] !== undefined || values['seeds'] !== undefined
  const checked = checkProcess(values)
  const { engine, engineFile, vouch, http, tls, sharedKey } = checked
  const url = engineUrl({
    flag: given['engine'] as string | undefined,
    file: engineFile,
    configured: engine,
  })
  if (!hasMesh && url === undefined) {
    throw new UsageError('--members, --join or --engine is missing; see --help')
  }
  const needless = PROTECTION.filter((name) => !hasMesh && values[name] !== undefined)
  if (needless.length > 0) {
    throw new UsageError(
      `${needless.join(' and ')}: protects connections between members, and there are no --members`,
    )
  }
  const options = Object.fromEntries(
    Object.entries(values).filter(([name]) => !(name in PROCESS_OPTIONS)),
  )
  if (url === undefined && vouch !== undefined) throw new UsageError('--vouch goes with --engine')
  if (url !== undefined) {
    if ('safety' in values) throw new UsageError('give --engine or --safety, not both')
    options['safety'] = fenced(engineFrom(url), vouch && { vouch })
  }
  const configSecret = 'engine' in file ? (flags['config'] as string) : undefined
  return {
    options: options as unknown as MemberConfig['options'],
    protection: protectionOf(checked),
    http,
    secrets: [tls?.key, sharedKey, engineFile, configSecret].filter((file) => file !== undefined),
  }
}

function protectionOf({ tls, sharedKey, insecurePlaintext }: ReturnType<typeof checkProcess>) {
  return {
    ...(tls && { tls }),
    ...(sharedKey !== undefined && { keyFile: sharedKey }),
    ...(insecurePlaintext === true && { insecurePlaintext }),
  }
}

function checkProcess(values: Values) {
  const own = Object.entries(values).filter(([name]) => name in PROCESS_OPTIONS)
  const { tls } = values
  if (
    tls !== undefined &&
    ['ca', 'certificate', 'key'].some((name) => !(name in (tls as object)))
  ) {
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
