/** Makes the names of the files that belong to a member (state and endpoint), and finds the member from such a name. */

/** Without dots, which separate the parts of a file name, and without characters that shells interpret. */
function encodeName(name: string): string {
  return encodeURIComponent(name).replaceAll('*', '%2A').replaceAll('.', '%2E')
}

export function memberFile(group: string, id: string, kind: 'state' | 'contact' | 'port'): string {
  return `${encodeName(group)}.${encodeName(id)}.${kind}`
}

/** The member that a file belongs to; undefined if it is not a file of a member. */
export function ownerOf(file: string, kind: 'state' | 'contact') {
  const parts = file.split('.')
  if (parts.length !== 3 || parts[2] !== kind) return undefined
  try {
    return { group: decodeURIComponent(parts[0]), id: decodeURIComponent(parts[1]) }
  } catch {
    return undefined
  }
}
