/** The text files of the repository, for rules and tests that read all of them. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SourceFile } from './rules.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Every text file that git tracks or would track. */
export function repositoryFiles(): SourceFile[] {
  return paths().flatMap((path) => {
    const bytes = readFileSync(join(ROOT, path))
    return bytes.includes(0) ? [] : [{ path, text: bytes.toString('utf8') }]
  })
}

/** Without git (an unpacked archive), every file but what is generated. */
function paths(): string[] {
  try {
    const options = { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' } as const
    const listed = execFileSync('git', ['ls-files', '-zco', '--exclude-standard'], options)
    return listed.split('\0').filter((path) => path !== '' && isFile(path))
  } catch {
    return walk(ROOT)
  }
}

function isFile(path: string): boolean {
  return existsSync(join(ROOT, path)) && statSync(join(ROOT, path)).isFile()
}

function walk(folder: string): string[] {
  const generated = new Set(['.git', 'node_modules', 'dist', 'coverage'])
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !generated.has(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return walk(path)
      return entry.isFile() ? [relative(ROOT, path).split(sep).join('/')] : []
    })
}
