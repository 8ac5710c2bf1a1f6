/** Unpacks the previous release, which `scripts/pack-previous.sh` packed, where it finds the dependencies of this repository. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKED = fileURLToPath(new URL('../../test/fixtures/previous-release.tgz', import.meta.url))
/** A folder within node_modules, whose packages it resolves. */
const PLACE = fileURLToPath(new URL('../../node_modules/.bellwether', import.meta.url))

/** The path of its command line. */
export function previousProgram(): string {
  const digest = createHash('sha256').update(readFileSync(PACKED)).digest('hex').slice(0, 12)
  const folder = join(PLACE, `previous-${digest}`)
  if (!existsSync(folder)) {
    mkdirSync(PLACE, { recursive: true, mode: 0o700 })
    // Complete when it has its name: other tests may unpack it at the same time.
    const draft = mkdtempSync(join(PLACE, 'previous-'))
    execFileSync('tar', ['xzf', PACKED, '-C', draft])
    try {
      renameSync(draft, folder)
    } catch {
      rmSync(draft, { recursive: true })
    }
  }
  return join(folder, 'bin', 'bellwether.js')
}
