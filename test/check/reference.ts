/** A naive reference for the checker's search: a state is the path of steps to it, played by the simulator. */
import type { Algorithm } from '../../src/core/algorithm.ts'
import type { TraceStep } from '../../src/sim/record/trace.ts'
import { Stepper } from '../../src/sim/stepper/stepper.ts'
import { canonical } from './canonical.ts'

type Faults = Record<'crash' | 'recover', number>
class World extends Stepper {
  readonly left: Faults
  private readonly short = new Set<string>()
  /** The step at which a member last crashed, recovered or started, or began a request or a watch. */
  private readonly when = new Map<string, number>()

  constructor(of: Algorithm, members: number, faults: Faults, path: readonly TraceStep[]) {
    super({ algorithm: of, members, options: of.untimed })
    this.left = { ...faults }
    Object.assign(this.recording, { step() {}, sent() {}, done() {} })
    for (const node of this.group.everyone) this.go({ verb: 'start', node })
    for (const step of path) this.go(step)
  }
  override request(peer: number): void {
    super.request(peer)
    this.when.set(`${this.me} ask ${peer}`, this.steps)
  }
  override watch(peer: number): void {
    const key = `${this.me} watch ${peer}`
    if (!this.memberOf(this.me).watches.has(peer)) this.when.set(key, this.steps)
    super.watch(peer)
  }
  override set(timer: string, ms = 0): void {
    super.set(timer)
    if (ms < this.group.timing.watchMs) this.short.add(timer)
  }
  /** Takes a step. Sources get a value that they never had, so that ids made from them are new. */
  private go(step: TraceStep): void {
    const node = 'to' in step ? (step.to as number) : 'node' in step ? step.node : 0
    const sources = this.algorithm.state.entries.filter(({ field }) => field.role === 'source')
    for (const { name } of sources) this.stateOf(node)[name] = 1000 * (this.steps + 1)
    this.when.set(`${node} ${step.verb}`, this.steps)
    if (step.verb === 'crash' || step.verb === 'recover') this.left[step.verb] -= 1
    this.take(step)
  }
  /** What a peer has been since a member's request (u, d) or watch (d until it starts again). */
  seen(node: number, what: 'ask' | 'watch', peer: number): string {
    const last = (key: string): number => this.when.get(key) ?? -1
    const { requests, watches } = this.memberOf(node)
    if (!(what === 'ask' ? requests : watches).has(peer)) return ''
    const since = last(`${node} ${what} ${peer}`)
    const up = this.isUp(peer) || last(`${peer} crash`) > since
    const down = !this.isUp(peer) || last(`${peer} recover`) > since
    if (what === 'ask') return (up ? 'u' : '') + (down ? 'd' : '')
    return down && !(this.isUp(peer) && last(`${peer} start`) > last(`${peer} recover`)) ? 'd' : 'w'
  }
  /** Every step that is possible next. */
  next(): TraceStep[] {
    const nodes = [...this.group.everyone]
    for (const node of nodes)
      for (const { name, n } of this.memberOf(node).draws)
        return Array.from({ length: n }, (_, k) => ({ verb: 'drawn', node, name, k }))
    const out = (i: number) => nodes.flatMap((j) => this.linkOf(i, j)).length
    const order = (t: string) => ({ order: 0, ...this.algorithm.timers[t] }).order
    const armed = nodes.flatMap((i) => [...this.memberOf(i).timers].map(order)).filter((o) => o > 0)
    const quiet = nodes.every((i) => out(i) + this.memberOf(i).requests.size === 0)
    const lies = (i: number, j: number) => !this.isUp(j) && this.seen(i, 'watch', j) === 'd'
    const owed = nodes.some((i) => this.memberOf(i).silent || nodes.some((j) => lies(i, j)))
    return nodes.flatMap((node) => {
      const { up, silent, timers, requests } = this.memberOf(node)
      const awaited = requests.size + out(node) + nodes.flatMap((i) => this.linkOf(i, node)).length
      const proven = (t: string) =>
        quiet && order(t) === Math.min(...armed) && (!owed || this.short.has(t))
      const due = [...timers].filter((t) => (order(t) === 0 ? awaited === 0 : proven(t)))
      const steps = due.map((timer): TraceStep => ({ verb: 'timeout', node, timer, peer: 0 }))
      if (up && this.left.crash > 0) steps.push({ verb: 'crash', node })
      if (!up && this.left.recover > 0) steps.push({ verb: 'recover', node })
      if (up && silent && out(node) === 0) steps.push({ verb: 'start', node })
      for (const peer of nodes) {
        for (const oldest of this.linkOf(peer, node).slice(0, 1)) {
          const message = this.recording.show(oldest, 'election')
          steps.push({ verb: silent ? 'lose' : 'deliver', from: peer, to: node, message })
        }
        const asked = this.seen(node, 'ask', peer)
        const down = asked.includes('d') || this.seen(node, 'watch', peer) === 'd'
        if (asked.includes('u')) steps.push({ verb: 'up', node, peer })
        if (down && (this.isUp(peer) || out(peer) === 0)) steps.push({ verb: 'down', node, peer })
      }
      return steps
    })
  }
}
export function countStates(algorithm: Algorithm, members: number, faults: Faults): number {
  const seen = new Set<string>()
  const paths: TraceStep[][] = [[]]
  for (const path of paths) {
    const world = new World(algorithm, members, faults, path)
    const before = seen.size
    if (seen.add(canonical(world)).size === before) continue
    for (const step of world.next()) paths.push([...path, step])
  }
  return seen.size
}
