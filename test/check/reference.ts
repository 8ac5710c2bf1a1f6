/**
 * The same search, written to be read: plain objects, a set of strings, no numbering, no memory of
 * cases. It shares the canonical form with the checker (ids renamed, counters shifted, the buried all
 * alike) and nothing else. Faults: crashes, recoveries, drops, mistakes.
 */
import {
  Group,
  handlersOf,
  type Algorithm,
  type AnyMessage,
  type AnyState,
  type NodeArray,
  type NodeSet,
} from '../../src/core/index.ts'

type Mode = 'buried' | 'down' | 'silent' | 'up'
interface Seat {
  mode: Mode
  s: AnyState
  timers: string[]
  asks: Record<number, string>
  watches: Record<number, string>
  draws: [string, number][]
}
interface World {
  seats: Seat[]
  links: Record<string, AnyMessage[]>
  left: { crashes: number; recoveries: number; drops: number; mistakes: number }
}

export function countStates(
  algorithm: Algorithm,
  n: number,
  start: 'boot' | 'settled',
  left: World['left'],
  limit = 1e5,
): number {
  const timing = { messageMs: 1, processingMs: 0, detectionMs: 20, watchMs: 20, periodMs: 100 }
  const handlers = handlersOf(algorithm, new Group(n, timing), {})
  const fields = algorithm.state.entries
  const nodes = Array.from({ length: n }, (_, i) => i + 1)
  const short = new Set<string>()
  let serial = 0
  const isDown = (w: World, i: number) => w.seats[i].mode === 'down' || w.seats[i].mode === 'buried'

  const copy = (w: World): World => ({
    seats: w.seats.map((x) => ({
      ...x,
      s: algorithm.state.copy(x.s) as AnyState,
      timers: [...x.timers],
      asks: { ...x.asks },
      watches: { ...x.watches },
      draws: [...x.draws],
    })),
    links: Object.fromEntries(Object.entries(w.links).map(([k, l]) => [k, [...l]])),
    left: { ...w.left },
  })
  /** Runs a handler of member i; what is made from sources is new, because they never had this value. */
  const run = (
    w: World,
    i: number,
    handler: (s: AnyState, out: never) => void,
    keep = false,
  ): World => {
    const x = w.seats[i]
    if (!keep)
      for (const { name, field } of fields)
        if (field.role === 'source') (x.s as Record<string, unknown>)[name] = serial += 1000
    const out = {
      me: i,
      send: (j: number, m: AnyMessage) => isDown(w, j) || (w.links[`${i}${j}`] ??= []).push(m),
      set: (t: string, ms: number) => {
        if (ms < 20) short.add(t)
        x.timers = [...new Set([...x.timers, t])].sort()
      },
      clear: (t: string) => (x.timers = x.timers.filter((u) => u !== t)),
      request: (j: number) => (x.asks[j] = isDown(w, j) ? 'd' : 'u'),
      watch: (j: number) => (x.watches[j] ??= isDown(w, j) ? 'd' : 'w'),
      unwatch: (j: number) => delete x.watches[j],
      draw: (name: string, k: number) => x.draws.push([name, k]),
    }
    handler(x.s, out as never)
    return w
  }

  const canonical = (w: World): string => {
    const names = new Map<unknown, number>([[0, 0]])
    const counters: number[] = []
    const visit = (shift: number) => {
      const show = (schema: Algorithm['state'], r: Record<string, unknown>, bare: boolean) =>
        schema.entries.map(({ name, field: { role, orNone, stride } }) => {
          const v = r[name] as number
          if (role === 'source' || role === 'observer') return ''
          if (role === 'id') return names.get(v) ?? (names.set(v, names.size), names.size - 1)
          if (role !== 'counter')
            return typeof v === 'object'
              ? nodes.map((i) =>
                  'has' in (v as object) ? (v as NodeSet).has(i) : (v as NodeArray).get(i),
                )
              : v
          if (bare || (orNone && v === 0)) return 0
          counters.push(Math.floor((v - (orNone ? 1 : 0)) / stride) * stride)
          return v - shift
        })
      return JSON.stringify([
        w.left,
        w.seats
          .slice(1)
          .map(({ s, ...x }) => [
            x.mode,
            x.timers,
            x.asks,
            x.watches,
            x.draws,
            show(algorithm.state, s, x.mode === 'buried'),
          ]),
        nodes.map((i) =>
          nodes.map((j) =>
            (w.links[`${i}${j}`] ?? []).map((m) => [
              m.type,
              show(algorithm.messages.variant(m.type), m as never, false),
            ]),
          ),
        ),
      ])
    }
    visit(0)
    names.clear()
    names.set(0, 0)
    return visit(Math.min(...counters, Infinity) === Infinity ? 0 : Math.min(...counters))
  }

  const bury = (w: World): World => {
    if (w.left.recoveries === 0)
      for (const x of w.seats.slice(1))
        if (x.mode === 'down') Object.assign(x, { mode: 'buried', s: algorithm.state.init() })
    return w
  }
  const tell = (w: World, _j: number, news: (x: Seat) => void) => {
    for (const x of w.seats.slice(1)) news(x)
    return w
  }
  const successors = (w: World): World[] => {
    const next: World[] = []
    const from = (i: number) => nodes.flatMap((j) => w.links[`${i}${j}`] ?? [])
    const to = (i: number) => nodes.flatMap((j) => w.links[`${j}${i}`] ?? [])
    const drawer = nodes.find((i) => w.seats[i].draws.length > 0)
    if (drawer !== undefined) {
      const [[name, k]] = w.seats[drawer].draws
      return Array.from({ length: k }, (_, v) => {
        const c = copy(w)
        c.seats[drawer].draws.shift()
        return run(c, drawer, (s, out) => handlers.drawn(s, name, v, out))
      })
    }
    const flying = nodes.some((i) => from(i).length > 0)
    const asking = nodes.some((i) => Object.keys(w.seats[i].asks).length > 0)
    const owed = nodes.some(
      (i) =>
        w.seats[i].mode === 'silent' ||
        Object.entries(w.seats[i].watches).some(([j, f]) => f === 'd' && isDown(w, +j)),
    )
    const order = (t: string) => {
      const kind = algorithm.timers[t]
      return kind.kind === 'answer' ? kind.order : 0
    }
    const least = Math.min(
      ...nodes.flatMap((i) => w.seats[i].timers.map(order)).filter((o) => o > 0),
    )
    const periodic = (ms: AnyMessage[]) => ms.some((m) => m.type in algorithm.purposes)
    for (const i of nodes) {
      const x = w.seats[i]
      if (isDown(w, i)) {
        if (w.left.recoveries > 0) {
          const c = copy(w)
          c.seats[i].mode = 'silent'
          c.left.recoveries--
          next.push(
            bury(
              tell(c, i, (y) => {
                if (i in y.asks && !y.asks[i].includes('u')) y.asks[i] = 'du'
              }),
            ),
          )
        }
        continue
      }
      for (const j of nodes.filter((j) => (w.links[`${j}${i}`] ?? []).length > 0)) {
        const c = copy(w),
          m = c.links[`${j}${i}`].shift()!
        if (w.left.drops > 0 && x.mode === 'up') {
          const d = copy(c)
          d.left.drops--
          next.push(d)
        }
        next.push(x.mode === 'silent' ? c : run(c, i, (s, out) => handlers.message(s, j, m, out)))
      }
      if (w.left.crashes > 0) {
        const c = copy(w),
          y = c.seats[i]
        Object.assign(y, {
          mode: 'down',
          s: algorithm.state.afterCrash(y.s),
          timers: [],
          asks: {},
          watches: {},
          draws: [],
        })
        for (const j of nodes) delete c.links[`${j}${i}`]
        c.left.crashes--
        next.push(
          bury(
            tell(c, i, (z) => {
              if (i in z.asks && !z.asks[i].includes('d')) z.asks[i] = 'du'
              if (i in z.watches) z.watches[i] = 'd'
            }),
          ),
        )
      }
      if (x.mode === 'silent') {
        if (from(i).length === 0) {
          const c = copy(w)
          c.seats[i].mode = 'up'
          tell(c, i, (y) => {
            if (i in y.watches) y.watches[i] = 'w'
          })
          next.push(run(c, i, (s, out) => handlers.start(s, out)))
        }
        continue
      }
      for (const t of x.timers) {
        const ready =
          order(t) === 0
            ? Object.keys(x.asks).length === 0 && !periodic(from(i)) && !periodic(to(i))
            : !flying && !asking && order(t) === least && (!owed || short.has(t))
        if (ready) {
          const c = copy(w)
          c.seats[i].timers = x.timers.filter((u) => u !== t)
          next.push(run(c, i, (s, out) => handlers.timeout(s, t, out)))
        }
      }
      for (const j of nodes) {
        const answer = (verdict: 'up' | 'down', spend = 0) => {
          const c = copy(w),
            y = c.seats[i]
          delete y.asks[j]
          if (verdict === 'down') delete y.watches[j]
          c.left.mistakes -= spend
          next.push(run(c, i, (s, out) => handlers[verdict](s, j, out)))
        }
        const asks = x.asks[j] ?? '',
          drained = !isDown(w, j) || from(j).length === 0
        if (asks.includes('u')) answer('up')
        if (asks.includes('d')) {
          if (drained) answer('down')
        } else if (x.watches[j] === 'd') {
          if (drained) answer('down')
        } else if (w.left.mistakes > 0 && !isDown(w, j) && (asks === 'u' || x.watches[j] === 'w'))
          answer('down', 1)
      }
    }
    return next
  }

  const blank = (): Seat => ({
    mode: 'silent',
    s: algorithm.state.init() as AnyState,
    timers: [],
    asks: {},
    watches: {},
    draws: [],
  })
  const first: World = { seats: [blank(), ...nodes.map(blank)], links: {}, left: { ...left } }
  for (const i of nodes) {
    first.seats[i].mode = 'up'
    run(
      first,
      i,
      (s, out) => (start === 'boot' ? handlers.start(s, out) : handlers.settled(s, n, out)),
      start === 'settled',
    )
  }
  const seen = new Set([canonical(first)])
  let frontier = [first]
  while (frontier.length > 0 && seen.size < limit) {
    const found: World[] = []
    for (const w of frontier)
      for (const v of successors(w)) {
        const key = canonical(v)
        if (!seen.has(key)) {
          seen.add(key)
          found.push(v)
        }
      }
    frontier = found
  }
  return seen.size
}
