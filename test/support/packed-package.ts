/** Packs the compiled package and unpacks it into a project of its own, as an installation would have it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export interface Packed {
  /** The path of the archive. */
  readonly archive: string
  readonly bytes: number
  readonly unpackedBytes: number
  readonly files: readonly string[]
}

interface PackReport {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

/** What `npm publish` would send, of what is compiled now. */
export function packInto(folder: string): Packed {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const out = execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' })
  const [{ filename, size, unpackedSize, files }] = JSON.parse(out) as PackReport[]
  return {
    archive: join(folder, filename),
    bytes: size,
    unpackedBytes: unpackedSize,
    files: files.map(({ path }) => path),
  }
}

/** A project that has installed the archive, and these packages of the repository. Returns the folder of the package. */
export function installIn(project: string, archive: string, packages: readonly string[]): string {
  const modules = join(project, 'node_modules')
  const installed = join(modules, 'bellwether')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['xzf', archive, '-C', installed, '--strip-components=1'])
  mkdirSync(join(modules, '.bin'))
  symlinkSync(join(installed, 'bin/bellwether.js'), join(modules, '.bin/bellwether'))
  for (const name of packages) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  }
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n')
  return installed
}
