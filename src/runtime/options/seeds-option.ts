/** Checks the option `seeds` (where a process that does not know the members finds one of them), and parses it from text. */
import { checkAddress, wrong, type OptionRow } from './option-kinds.ts'

/** Finds addresses of members, `host:port`; called each time that they are looked for. */
export type FindSeeds = () => readonly string[] | Promise<readonly string[]>

/** A text with one seed or several, separated by commas; or a list of them; or a function that finds addresses. */
export type Seeds = string | readonly string[] | FindSeeds

/** One place at which members can be found. */
export type Seed =
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'dns'; readonly name: string; readonly port: number }
  | { readonly kind: 'dns+srv'; readonly name: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'function'; readonly find: FindSeeds }

const FORMS = 'HOST:PORT, dns:NAME:PORT, dns+srv:NAME or file:PATH'

export function seeds(
  help: string,
  more: Pick<OptionRow, 'flag' | 'flagName'>,
): OptionRow<Seeds, readonly Seed[]> {
  const check = (value: unknown, field: string): Seed[] => {
    if (typeof value === 'function') return [{ kind: 'function', find: value as FindSeeds }]
    const texts = typeof value === 'string' ? value.split(',') : value
    if (!Array.isArray(texts) || texts.length === 0) wrong(field, `must be ${FORMS}`, value)
    return (texts as unknown[]).map((text) => parseSeed(text, field))
  }
  const inFile = (value: unknown, field: string): unknown =>
    typeof value === 'function' ? wrong(field, `must be ${FORMS}`) : check(value, field)
  return { help, ...more, check, inFile }
}

function parseSeed(value: unknown, field: string): Seed {
  if (typeof value !== 'string') return wrong(field, `must be ${FORMS}`, value)
  const text = value.trim()
  const [, scheme, rest = ''] = /^(dns\+srv|dns|file):(.+)$/u.exec(text) ?? []
  if (scheme === 'file') return { kind: 'file', path: rest }
  if (scheme === 'dns+srv') return { kind: 'dns+srv', name: rest }
  // A host may be called "dns".
  const isName = scheme === 'dns' && rest.includes(':')
  const address = checkAddress(isName ? rest : text, field)
  if (!isName) return { kind: 'address', address }
  const colon = address.lastIndexOf(':')
  return { kind: 'dns', name: address.slice(0, colon), port: Number(address.slice(colon + 1)) }
}
