/** The source files of the algorithms, as text: each is loaded when it is asked for. */

const files = import.meta.glob<string>(
  ['../../../src/algorithms/**/*.ts', '!../../../src/algorithms/**/*.test.ts'],
  { query: '?raw', import: 'default' },
)

const paths = new Map(
  Object.keys(files).map((path) => [/([^/]+)\.ts$/u.exec(path)?.[1] ?? '', path]),
)

/** The text of the file of an algorithm, or of one that it imports; '': there is none. */
async function sourceOf(name: string): Promise<string> {
  const path = paths.get(name)
  return path === undefined ? '' : files[path]()
}

/** What the schema says about each field of the state, by its name. */
export async function fieldComments(name: string): Promise<ReadonlyMap<string, string>> {
  const text = await sourceOf(name)
  const imports = [...text.matchAll(/from '[^']*?([\w-]+)\.ts'/gu)].map(([, file]) => file)
  const helpers = imports.filter((file) => /\/helpers\//u.test(paths.get(file) ?? ''))
  const comments = new Map((await Promise.all(helpers.map(fieldComments))).flatMap((of) => [...of]))
  for (const [, field, comment] of text.matchAll(/^ {2}(\w+): .*?,? \/\/ (.+)$/gmu)) {
    comments.set(field, comment)
  }
  return comments
}

/** The paths of the files below src/algorithms, without their endings: `rings/peterson`. */
export const ALGORITHM_FILES: readonly string[] = Object.keys(files).map((path) =>
  path.replace(/^.*\/algorithms\//u, '').replace(/\.ts$/u, ''),
)

/** The text of such a file. */
export function algorithmSource(path: string): Promise<string> {
  return sourceOf(path.replace(/^.*\//u, ''))
}
