/** `bellwether demo`: an election in slow motion. */
import { Command } from 'commander'
import { demo, processIo } from './demo.ts'

export function demoCommand(): Command {
  return new Command('demo')
    .description('Watch a simulated election in slow motion: the leader crashes, and comes back.')
    .action(async () => {
      const controller = new AbortController()
      const stop = (): void => controller.abort()
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
      await demo(processIo(controller.signal))
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop)
    })
}
