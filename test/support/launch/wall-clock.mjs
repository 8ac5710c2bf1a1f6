/** Loaded before a member: each SIGUSR2 moves its wall clock, an hour ahead, then an hour back, then right again. */
const RealDate = Date
const OFFSETS_MS = [3_600_000, -3_600_000, 0]
let jumps = 0
let offsetMs = 0

const now = () => RealDate.now() + offsetMs
globalThis.Date = new Proxy(RealDate, {
  construct: (_target, given) => Reflect.construct(RealDate, given.length === 0 ? [now()] : given),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})
process.on('SIGUSR2', () => {
  offsetMs = OFFSETS_MS[jumps++ % OFFSETS_MS.length]
})
