/**
 * Loaded before a member: while it is stopped, its monotonic clock stops too, as that of a machine that is suspended.
 * The wall clock and /proc/uptime run on.
 */
const { hrtime } = process
const real = () => hrtime.bigint()
const GAP_NS = 1_000_000_000n
let last = real()
let lost = 0n

const now = () => {
  const at = real()
  if (at - last > GAP_NS) lost += at - last
  last = at
  return at - lost
}
process.hrtime = Object.assign(
  /** @returns {[number, number]} */
  () => {
    const at = now()
    return [Number(at / 1_000_000_000n), Number(at % 1_000_000_000n)]
  },
  { bigint: now },
)
performance.now = () => Number(now()) / 1e6
setInterval(now, 20).unref()
