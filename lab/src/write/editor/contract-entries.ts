/** Extracts the names that a user's algorithm may use from the source text of core/, each with its signature and comment. */
const files = import.meta.glob<string>(
  '../../../../src/core/{algorithm,group,node-set,schema}.ts',
  { query: '?raw', import: 'default', eager: true },
)
const textOf = (name: string): string => files[`../../../../src/core/${name}.ts`]
const algorithmText = textOf('algorithm')
const groupText = textOf('group')
const schemaText = textOf('schema')

export interface Entry {
  readonly name: string
  readonly signature: string
  readonly doc: string
}

const MEMBER =
  /(?:^ {2}\/\*\*\s*((?:(?!\*\/)[\s\S])*?)\s*\*\/\n)?^ {2}(?!private|constructor|static|return|if|for|const)(?:readonly |get )?(\w+)(\??(?:[(:<]).*)$/gmu
const EXPORT =
  /(?:^\/\*\*\s*((?:(?!\*\/)[\s\S])*?)\s*\*\/\n)?^export (?:function|const) (\w+)(.*)$/gmu

const entriesOf = (text: string, pattern: RegExp): Entry[] =>
  [...text.matchAll(pattern)].map(([, doc = '', name, rest]) => ({
    name,
    // Without the body of a function, or the value of a constant.
    signature: `${name}${rest.replace(/ (?:\{|= [^)]*)$/u, '')}`,
    doc: doc.replaceAll(/\s*\n\s*\* ?/gu, ' ').replace(/^\* /u, ''),
  }))

/** The members of an interface or a class, by the line that declares it. */
function membersOf(text: string, declaration: string): Entry[] {
  const start = text.indexOf(declaration)
  const block = text.slice(start, text.indexOf('\n}', start))
  return entriesOf(block.slice(block.indexOf('\n') + 1), MEMBER)
}

/** What may follow `out.`, `group.` and so on. */
export const MEMBERS: Readonly<Record<string, readonly Entry[]>> = {
  out: membersOf(algorithmText, 'export interface Out<'),
  group: membersOf(groupText, 'export class Group '),
  timing: membersOf(groupText, 'export interface Timing '),
  set: membersOf(textOf('node-set'), 'export class NodeSet '),
}

/** Exports that only hosts need. */
const FOR_HOSTS = new Set(['numberedMembers', 'initial'])
const NAMES_OF_THE_CONTRACT = new Set(['period', 'deadline', 'hold', 'answer', 'algorithm'])

/** What a program may import from the contract, and the handlers, promises and assumptions that it may declare. */
export const NAMES: readonly Entry[] = [
  ...entriesOf(schemaText, EXPORT).filter(({ name }) => !FOR_HOSTS.has(name)),
  ...entriesOf(algorithmText, EXPORT).filter(({ name }) => NAMES_OF_THE_CONTRACT.has(name)),
  ...membersOf(algorithmText, 'export interface Handlers<'),
  ...membersOf(algorithmText, 'export interface Promises '),
  ...membersOf(algorithmText, 'export interface Assumptions '),
]

/** The fields of the state that a program declares, with their comments. */
export function fieldsIn(program: string): Entry[] {
  const start = program.search(/\bstate = record\(\{/u)
  if (start < 0) return []
  const block = program.slice(start, program.indexOf('\n})', start))
  return [...block.matchAll(/^ {2}(\w+): (.*?),?(?: *\/\/ (.+))?$/gmu)].map(
    ([, name, kind, doc = '']) => ({ name, signature: `${name}: ${kind}`, doc }),
  )
}

/** The contract's files, to read. */
export const CONTRACT_FILES: readonly (readonly [name: string, text: string])[] = [
  ['core/algorithm.ts', algorithmText],
  ['core/schema.ts', schemaText],
  ['core/group.ts', groupText],
]
