/** Compiles and runs the Promela model of Bully_FD with SPIN, and reads states, seconds, memory and verdict from its report. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Judged {
  readonly ok: boolean
  readonly states: number
  readonly seconds: number
  readonly megabytes: number
}

/** Whether SPIN and a C compiler are installed. In continuous integration a missing one is a failure. */
export function hasSpin(): boolean {
  const runs = (program: string, flag: string): boolean =>
    spawnSync(program, [flag], { stdio: 'ignore' }).status === 0
  if (runs('spin', '-V') && runs('gcc', '--version')) return true
  const sentence = 'spin or gcc is not installed: run scripts/ensure-debian.sh as root'
  if (process.env['CI'] === 'true') throw new Error(sentence)
  process.stderr.write(`\n*** SKIPPED: ${sentence} ***\n`)
  return false
}

const MODEL = fileURLToPath(new URL('./bully-fd.pml', import.meta.url))
/** The longest path of the search, and the size of a state vector, in SPIN's terms. */
const DEPTH = '-m1000000'
const VECTOR = '-DVECTORSZ=512'

/** `flags` are those of the model, such as CRASHES=2. */
export function runSpin(
  flags: readonly string[],
  property: 'always' | 'eventually',
  optimization: '-O0' | '-O2',
): Judged {
  const folder = mkdtempSync(join(tmpdir(), 'bellwether-spin-'))
  const run = (program: string, args: readonly string[]): string =>
    execFileSync(program, args, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const always = property === 'always'
  try {
    run('spin', [
      '-a',
      ...flags.map((flag) => `-D${flag}`),
      ...(always ? [] : ['-DEVENTUALLY']),
      MODEL,
    ])
    // Without partial-order reduction: the states are to be compared.
    const safety = always ? ['-DSAFETY'] : []
    run('gcc', [optimization, '-w', '-DNOREDUCE', VECTOR, ...safety, '-o', 'pan', 'pan.c'])
    return read(run('./pan', [DEPTH, ...(always ? [] : ['-a'])]))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function read(report: string): Judged {
  const find = (form: RegExp): number => {
    const found = form.exec(report)?.[1]
    if (found === undefined) throw new Error(`SPIN's report has no ${form.source}:\n${report}`)
    return Number(found)
  }
  if (report.includes('max search depth too small')) throw new Error(`incomplete:\n${report}`)
  return {
    ok: find(/errors: (\d+)/u) === 0,
    states: find(/(\d+) states, stored/u),
    seconds: find(/elapsed time ([\d.]+) seconds/u),
    // The table of hashes and the stack have a fixed size: only what states take is compared.
    megabytes: find(/([\d.]+)\s+actual memory usage for states/u),
  }
}
