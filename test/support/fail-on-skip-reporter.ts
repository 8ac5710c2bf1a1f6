/** A reporter for continuous integration that fails a run in which a test was skipped. */
import type { Reporter, TestModule } from 'vitest/node'

export class FailOnSkipReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map(
        (test) => `${module.moduleId}: ${test.fullName}`,
      ),
    )
    if (skipped.length === 0) return
    console.error(`Skipped, which CI does not allow:\n  ${skipped.join('\n  ')}`)
    process.exitCode = 1
  }
}
