/**
 * The same search, written to be read: a state is the row of steps that led to it, played from the
 * beginning; a set of strings says what was seen. It shares the checker's canonical form (ids renamed,
 * counters shifted, the buried all alike) and no other idea.
 */
import type { Algorithm, AnyMessage, RecordSchema } from '../../src/core/index.ts'
import type { TraceStep } from '../../src/core/trace.ts'
import { Stepper } from '../../src/sim/stepper.ts'

export interface Faults {
  readonly crash: number
  readonly recover: number
}

class Reference extends Stepper {
  readonly nodes = [...this.group.everyone]
  private readonly left: Record<string, number>
  private readonly asked = new Map<string, string>()
  private readonly watched = new Map<string, string>()
  private readonly silent = new Set(this.nodes)
  private readonly short = new Set<string>()
  private readonly pending = new Map<number, [string, number][]>()
  private readonly of: Algorithm
  private serial = 0

  constructor(of: Algorithm, members: number, faults: Faults, path: readonly TraceStep[]) {
    super({ algorithm: of, members, options: of.untimed })
    this.of = of
    this.left = { ...faults }
    for (const node of this.nodes) this.go({ verb: 'start', node })
    for (const step of path) this.go(step)
  }

  override request(j: number): void {
    super.request(j)
    this.asked.set(`${this.me} ${j}`, this.isUp(j) ? 'u' : 'd')
  }
  override watch(j: number): void {
    super.watch(j)
    const key = `${this.me} ${j}`
    if (!this.watched.has(key)) this.watched.set(key, this.isUp(j) ? 'w' : 'd')
  }
  override unwatch(j: number): void {
    super.unwatch(j)
    this.watched.delete(`${this.me} ${j}`)
  }
  override set(timer: string, minMs = 0): void {
    super.set(timer)
    if (minMs < this.group.timing.watchMs) this.short.add(timer)
  }
  override draw(name: string, n: number): void {
    super.draw(name, n)
    this.pending.set(this.me, [...(this.pending.get(this.me) ?? []), [name, n]])
  }

  /** Takes a step. What is made from sources is new, because they never had such a value before. */
  private go(step: TraceStep): void {
    const node = 'to' in step ? (step.to as number) : 'node' in step ? step.node : 0
    for (const { name, field } of this.of.state.entries) {
      if (field.role === 'source') this.stateOf(node)[name] = this.serial += 1000
    }
    const { verb } = step
    if (verb === 'up' || verb === 'down') this.asked.delete(`${node} ${step.peer}`)
    if (verb === 'down') this.watched.delete(`${node} ${step.peer}`)
    if (verb === 'drawn') this.pending.get(node)!.shift()
    if (verb === 'start') this.silent.delete(node)
    this.take(step)
    if (verb === 'crash' || verb === 'recover') this.left[verb] -= 1
    if (verb === 'recover') this.silent.add(node)
    for (const [key, seen] of this.asked) {
      if (verb === 'crash' && key.startsWith(`${node} `)) this.asked.delete(key)
      else if (!key.endsWith(` ${node}`)) continue
      else if (verb === 'crash' && seen === 'u') this.asked.set(key, 'ud')
      else if (verb === 'recover' && seen === 'd') this.asked.set(key, 'ud')
    }
    for (const key of this.watched.keys()) {
      if (verb === 'crash' && key.startsWith(`${node} `)) this.watched.delete(key)
      else if (!key.endsWith(` ${node}`)) continue
      else if (verb === 'crash') this.watched.set(key, 'd')
      else if (verb === 'start') this.watched.set(key, 'w')
    }
    if (verb === 'crash') this.silent.delete(node)
  }

  /** Every step that may come next. */
  next(): TraceStep[] {
    const steps: TraceStep[] = []
    const { nodes } = this
    const between = (i: number, j: number) =>
      this.linkOf(i, j).map((m) => this.recording.show(m, 'election'))
    const from = (i: number) => nodes.flatMap((j) => between(i, j))
    const to = (i: number) => nodes.flatMap((j) => between(j, i))
    for (const [node, [draw]] of this.pending) {
      if (draw === undefined) continue
      return Array.from({ length: draw[1] }, (_, k) => ({ verb: 'drawn', node, name: draw[0], k }))
    }
    const order = (t: string) => ('order' in this.of.timers[t] ? this.of.timers[t].order : 0)
    const armed = nodes.flatMap((node) =>
      Object.keys(this.of.timers)
        .filter((timer) => this.isArmed(node, timer))
        .map((timer) => ({ node, timer })),
    )
    const least = Math.min(...armed.map(({ timer }) => order(timer)).filter((o) => o > 0))
    const flying = nodes.some((i) => from(i).length > 0)
    const owed =
      this.silent.size > 0 ||
      [...this.watched].some(([key, w]) => w === 'd' && !this.isUp(+key.split(' ')[1]))
    for (const { node, timer } of armed) {
      const asks = [...this.asked.keys()].some((key) => key.startsWith(`${node} `))
      const idle = !asks && from(node).length === 0 && to(node).length === 0
      const proven =
        !flying &&
        this.asked.size === 0 &&
        order(timer) === least &&
        (!owed || this.short.has(timer))
      if (order(timer) === 0 ? idle : proven) steps.push({ verb: 'timeout', node, timer, peer: 0 })
    }
    for (const node of nodes) {
      if (!this.isUp(node)) {
        if (this.left['recover'] > 0) steps.push({ verb: 'recover', node })
        continue
      }
      if (this.left['crash'] > 0) steps.push({ verb: 'crash', node })
      const silent = this.silent.has(node)
      if (silent && from(node).length === 0) steps.push({ verb: 'start', node })
      for (const peer of nodes) {
        const [message] = between(peer, node)
        if (message !== undefined)
          steps.push({ verb: silent ? 'lose' : 'deliver', from: peer, to: node, message })
        const asked = this.asked.get(`${node} ${peer}`) ?? ''
        const dead =
          asked.includes('d') || (asked.length < 2 && this.watched.get(`${node} ${peer}`) === 'd')
        if (asked.includes('u')) steps.push({ verb: 'up', node, peer })
        if (dead && (this.isUp(peer) || from(peer).length === 0))
          steps.push({ verb: 'down', node, peer })
      }
    }
    return steps
  }

  /** The state as a string: twice over, because the least counter is known only after the first time. */
  canonical(): string {
    const names = new Map<unknown, number>()
    const counters: number[] = []
    const show = (schema: RecordSchema, record: object, shift: number) =>
      schema.entries.map(({ name, field }) => {
        const value = (record as Record<string, unknown>)[name]
        if (field.role === 'source' || field.role === 'observer') return ''
        if (field.role === 'id')
          return value === 0 ? 0 : (names.get(value) ?? names.set(value, names.size + 1).size)
        if (field.role !== 'counter')
          return schema
            .show({ ...schema.init(), [name]: value }, (i) => i)
            .split(' ')
            .find((s) => s.startsWith(`${name}=`))
        if (field.orNone && value === 0) return 0
        counters.push(
          Math.floor(((value as number) - (field.orNone ? 1 : 0)) / field.stride) * field.stride,
        )
        return (value as number) - shift
      })
    const whole = (shift: number) => [
      this.left,
      this.nodes.map((i) => {
        if (!this.isUp(i) && this.left['recover'] === 0) return 'buried'
        return [
          this.isUp(i),
          this.silent.has(i),
          this.pending.get(i) ?? [],
          Object.keys(this.of.timers).map((t) => this.isArmed(i, t)),
          show(this.of.state, this.stateOf(i), shift),
        ]
      }),
      [...this.asked].map(String).toSorted(),
      [...this.watched].map(String).toSorted(),
      this.nodes.map((i) =>
        this.nodes.map((j) =>
          this.linkOf(i, j).map((m: AnyMessage) => [
            m.type,
            show(this.of.messages.variant(m.type), m, shift),
          ]),
        ),
      ),
    ]
    whole(0)
    names.clear()
    return JSON.stringify(whole(counters.length === 0 ? 0 : Math.min(...counters)))
  }
}

export function countStates(algorithm: Algorithm, members: number, faults: Faults): number {
  let frontier: TraceStep[][] = [[]]
  const seen = new Set([new Reference(algorithm, members, faults, []).canonical()])
  while (frontier.length > 0) {
    const found: TraceStep[][] = []
    for (const path of frontier) {
      for (const step of new Reference(algorithm, members, faults, path).next()) {
        const longer = [...path, step]
        const key = new Reference(algorithm, members, faults, longer).canonical()
        if (seen.has(key)) continue
        seen.add(key)
        found.push(longer)
      }
    }
    frontier = found
  }
  return seen.size
}
