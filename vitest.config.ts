import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { FailOnSkipReporter } from './test/support/fail-on-skip-reporter.ts'

const inCi = process.env['CI'] === 'true'

export default defineConfig({
  // `bellwether/core` and its siblings resolve to src: tests never run a stale build.
  ssr: { resolve: { conditions: ['bellwether-source'] } },
  test: {
    // Members without a key make one in a folder of their user: here in one that is no user's.
    env: { XDG_STATE_HOME: fileURLToPath(new URL('node_modules/.bellwether', import.meta.url)) },
    include: ['{src,test,experiments,lab/src}/**/*.test.ts'],
    // Processes, not threads: tests of the runtime send signals and change directories.
    pool: 'forks',
    // The default leaves one core idle, which on two cores is half of them.
    maxWorkers: '100%',
    // A shared machine may stall for seconds; a test that hangs is still caught.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: inCi ? ['default', new FailOnSkipReporter()] : ['default'],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['**/*.test.ts'],
    },
  },
})
