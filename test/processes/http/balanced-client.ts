/** A client behind a load balancer, which sends nothing to a replica that is not ready: it counts answers and failures. */
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export class BalancedClient {
  readonly failures: string[] = []
  answered = 0
  private readonly ports: readonly number[]
  private readonly ready = new Set<number>()
  private readonly stopped = new AbortController()
  private readonly running: Promise<void>[]

  constructor(ports: readonly number[], workers: number) {
    this.ports = ports
    this.running = [this.probe(), ...Array.from({ length: workers }, async () => this.work())]
  }

  isReady(port: number): boolean {
    return this.ready.has(port)
  }

  async close(): Promise<void> {
    this.stopped.abort()
    await Promise.all(this.running)
  }

  private async probe(): Promise<void> {
    while (!this.stopped.signal.aborted) {
      for (const port of this.ports) {
        const { status } = await ask(port, '/ready')
        if (status === 200) this.ready.add(port)
        else this.ready.delete(port)
      }
      await sleep(100)
    }
  }

  private async work(): Promise<void> {
    for (let i = 0; !this.stopped.signal.aborted; i++) {
      const ready = [...this.ready]
      if (ready.length === 0) await sleep(20)
      else {
        const { status, text } = await ask(ready[i % ready.length], '/')
        if (status === 200 && text.includes('answers, fence')) this.answered += 1
        else this.failures.push(`${status} ${text}`)
      }
    }
  }
}

async function ask(port: number, path: string): Promise<{ status: number; text: string }> {
  const headers = { connection: 'close' }
  return new Promise((resolve) => {
    const request = get({ port, path, host: '127.0.0.1', agent: false, headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => (text += String(chunk)))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    request.on('error', ({ message: text }) => resolve({ status: 0, text }))
  })
}
