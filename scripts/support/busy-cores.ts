/** Keeps every core of this machine busy until it is disposed of. */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'

export function busyCores(): Disposable {
  const busy = Array.from({ length: availableParallelism() }, () =>
    spawn('yes', { stdio: ['ignore', 'ignore', 'ignore'] }),
  )
  return {
    [Symbol.dispose]: () => {
      for (const child of busy) child.kill('SIGKILL')
    },
  }
}
