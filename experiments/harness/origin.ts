/** Finds out which version and which commit of bellwether makes a report. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where package.json may be: beside dist where the package is installed, beside experiments in the repository. */
const PLACES = ['../../../', '../../'].map((path) => new URL(path, import.meta.url))

function root(): URL | undefined {
  return PLACES.find((place) => {
    const file = new URL('package.json', place)
    return existsSync(file) && readPackage(file).name === 'bellwether'
  })
}

function readPackage(file: URL): { readonly name: string; readonly version: string } {
  return JSON.parse(readFileSync(file, 'utf8')) as { name: string; version: string }
}

export function version(): string {
  const place = root()
  return place === undefined ? 'unknown' : readPackage(new URL('package.json', place)).version
}

/** With a plus sign where files differ from it; null: no clone, or no git. */
export function commit(): string | null {
  const place = root()
  if (place === undefined || !existsSync(new URL('.git', place))) return null
  try {
    const git = (...args: string[]): string =>
      execFileSync('git', args, { cwd: fileURLToPath(place), encoding: 'utf8' }).trim()
    const isChanged =
      git('status', '--porcelain', '--untracked-files=no', 'src', 'experiments') !== ''
    return git('rev-parse', '--short=12', 'HEAD') + (isChanged ? '+' : '')
  } catch {
    return null
  }
}
