/**
 * Judges all mutants of leases, bonds, handovers and admission in several processes. Each finished one is appended to a
 * file; one that is there, with the same source, is not judged again.
 */
import { fork } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ALL_MUTANTS, keyOf, showFate, tableOf, type Fate } from './lease-mutants.ts'

interface Done {
  readonly key: string
  readonly fate: Fate
}

interface Campaign {
  readonly path: string
  readonly jobs: number
  readonly write: (line: string) => void
}

export async function judgeLeaseMutants({ path, jobs, write }: Campaign) {
  const fates = finishedIn(path)
  const keys = ALL_MUTANTS.map(keyOf)
  const isExplained = (i: number): number => Number(ALL_MUTANTS[i].equivalent !== undefined)
  const left = [...keys.keys()]
    .filter((i) => !fates.has(keys[i]))
    .sort((a, b) => isExplained(a) - isExplained(b))
  const judgeRest = (): Promise<void> =>
    inProcess(
      () => left.shift(),
      (i, fate) => {
        fates.set(keys[i], fate)
        appendFileSync(path, `${JSON.stringify({ key: keys[i], fate } satisfies Done)}\n`)
        const mutant = ALL_MUTANTS[i]
        const { length } = keys.filter((key) => fates.has(key))
        const done = `${length}/${keys.length}`
        const seconds = fate.seconds.toFixed(1)
        write(
          `${done} ${mutant.algorithm}: ${mutant.what}: ${showFate(mutant, fate)} (${seconds} s)`,
        )
      },
    )
  await Promise.all(Array.from({ length: Math.min(jobs, left.length) }, judgeRest))
  return tableOf(ALL_MUTANTS.map((mutant, i) => ({ mutant, fate: fates.get(keys[i])! })))
}

function finishedIn(path: string): Map<string, Fate> {
  if (!existsSync(path)) return new Map()
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  return new Map(lines.map((line) => JSON.parse(line) as Done).map(({ key, fate }) => [key, fate]))
}

/** One process judges mutants until there is none left. */
function inProcess(
  next: () => number | undefined,
  judged: (index: number, fate: Fate) => void,
): Promise<void> {
  const worker = fork(fileURLToPath(new URL('lease-worker.ts', import.meta.url)))
  return new Promise((resolve, reject) => {
    let isDone = false
    const give = (): void => {
      const index = next()
      if (index !== undefined) return void worker.send(index)
      isDone = true
      worker.disconnect()
    }
    worker.on('message', ({ index, fate }: { index: number; fate: Fate }) => {
      judged(index, fate)
      give()
    })
    worker.on('error', reject)
    worker.on('exit', (code) => {
      if (isDone) resolve()
      else reject(new Error(`a process that judged mutants ended with code ${code}`))
    })
    give()
  })
}
