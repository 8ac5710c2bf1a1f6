/** A name as part of a file's: without dots, which stand between such parts, and without what shells read. */
function encodeName(name: string): string {
  return encodeURIComponent(name).replaceAll('*', '%2A').replaceAll('.', '%2E')
}

/** The name of a file that belongs to one member of a group. */
export function memberFile(group: string, id: string, kind: 'state' | 'contact'): string {
  return `${encodeName(group)}.${encodeName(id)}.${kind}`
}

/** Whose file it is; undefined: nobody's. */
export function ownerOf(
  file: string,
  kind: 'state' | 'contact',
): { readonly group: string; readonly id: string } | undefined {
  const parts = file.split('.')
  if (parts.length !== 3 || parts[2] !== kind) return undefined
  try {
    return { group: decodeURIComponent(parts[0]), id: decodeURIComponent(parts[1]) }
  } catch {
    return undefined
  }
}
