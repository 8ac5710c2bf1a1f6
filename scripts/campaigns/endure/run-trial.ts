/** The trial `run` of `npm run endure`: counts runs in which a command ran beside that of a later term. */
import { loadavg } from 'node:os'
import { RUN_CASES, type RunCaseName } from '../../support/run-cases.ts'
import { RunnerGroup } from '../../support/runner-group.ts'

export async function runTrial(name: RunCaseName, times: number) {
  const { script, means, inject } = RUN_CASES[name]
  const overlapsMs: number[] = []
  await using group = new RunnerGroup(script)
  await group.nextTerm(100)
  for (let i = 1; i <= times; i++) {
    await inject(group)
    const overlapMs = group.overlapMs()
    if (overlapMs > 0) overlapsMs.push(Math.round(overlapMs))
    process.stderr.write(`${name}: run ${i} of ${times}, ${overlapsMs.length} overlaps\n`)
  }
  const load = loadavg()[0]
  return {
    trial: 'run',
    case: name,
    means,
    times,
    found: overlapsMs.length,
    allowed: 0,
    overlapsMs,
    load,
  }
}
