/**
 * The program of a candidate without a mesh: reports its terms to its parent, and writes to a resource when the parent
 * orders it, with the token of its last term and without asking whether it still leads.
 */
import { engineFrom } from '../../src/cli/options/engine-url.ts'
import { fence } from '../../src/fence/index.ts'
import { fenced, join, type FencedTerm } from '../../src/index.ts'

export interface CandidateSetting {
  readonly id: string
  readonly group: string
  readonly engine: string
  readonly state: string
  readonly resource: string
  readonly leaseMs: number
}

export type CandidateEvent =
  | { readonly kind: 'elected' | 'lost'; readonly token: number }
  | { readonly kind: 'wrote'; readonly token: number; readonly status: number }

const { leaseMs, engine, resource, ...given } = JSON.parse(process.argv[2]) as CandidateSetting
const timing = { lease: leaseMs, period: leaseMs / 5, detection: leaseMs }
const election = await join({ ...given, safety: fenced(engineFrom(engine)), timing })
let last: FencedTerm | null = null

function report(event: CandidateEvent): void {
  process.send?.(event)
}

election.on('lost', ({ term }) => report({ kind: 'lost', token: term }))
election.on('error', () => undefined)
void election.lead((term) => {
  last = term
  report({ kind: 'elected', token: term.fence })
})
process.on('message', () => {
  const term = last!
  void fetch(resource, { method: 'POST', headers: fence.http.headers(term) }).then(({ status }) =>
    report({ kind: 'wrote', token: term.fence, status }),
  )
})
const leave = (): void => void election.close().then(() => process.exit(0))
process.on('SIGTERM', leave)
process.on('disconnect', leave)
