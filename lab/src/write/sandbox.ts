/** The page's side of the sandbox: loads a program, asks about it, and ends what never returns. */
import type { CheckerClient } from '../checker/check-session.svelte.ts'
import type { SimulationClient } from '../simulation/simulation-client.ts'
import { WorkerClient, WorkerError } from '../simulation/worker-client.ts'
import type { Problem } from './program-problem.ts'
import { SandboxedWorker, SILENCE_MS } from './sandboxed-worker.ts'
import type { Loaded, SandboxQuestions } from './worker/sandbox-protocol.ts'

type Client = WorkerClient<SandboxQuestions>

export class Sandbox {
  private readonly client: Client
  private readonly onProblem: (problem: Problem) => void
  private readonly silence: () => string
  /** The program that was loaded, and whether the present worker knows it. */
  private program = ''
  private known = false

  /** `silence` is the sentence about a program that never returns. */
  constructor(onProblem: (problem: Problem) => void, silence: (seconds: number) => string) {
    this.onProblem = onProblem
    this.silence = () => silence(SILENCE_MS / 1000)
    this.client = new WorkerClient(() => new SandboxedWorker(() => this.stop()))
  }

  async load(text: string): Promise<Loaded> {
    this.program = text
    this.known = true
    return this.client.ask('load', text)
  }

  /** For a player of runs. */
  readonly simulation = (): SimulationClient => this.asking()
  /** For a session of the checker. */
  readonly checker = (): CheckerClient => this.asking()

  /** Ends every question. The next one starts a new worker. */
  readonly cancel = (): void => {
    this.known = false
    this.client.cancel()
  }

  close(): void {
    this.client.close()
  }

  private stop(): void {
    this.known = false
    const sentence = this.silence()
    this.onProblem({ kind: 'silent', values: { seconds: SILENCE_MS / 1000 }, line: null })
    this.client.cancel(new Error(sentence))
  }

  private asking(): Pick<Client, 'ask' | 'cancel'> {
    const ask: Client['ask'] = async (topic, question, onProgress) => {
      // A worker that was ended is not the one that knows the program.
      if (!this.known) void this.load(this.program).catch(() => undefined)
      try {
        return await this.client.ask(topic, question, onProgress)
      } catch (error) {
        if (error instanceof WorkerError) this.onProblem(error.detail as Problem)
        throw error
      }
    }
    return { ask, cancel: this.cancel }
  }
}
