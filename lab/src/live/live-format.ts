/** Formats spans and times of day, and finds a member's role, its colour, and whether a link is cut, for the Live page. */
import type { LiveMember } from '../../../src/live/timeline.ts'
import type { Role } from '../simulation/frames.ts'
import { tintOf } from '../topology/tints.ts'

/** 37 ms, 4.2 s, 3 min 5 s. */
export function span(ms: number): string {
  if (ms < 1) return '< 1 ms'
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.floor(ms / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${seconds % 60} s`
}

/** 12:04:31.220 */
export function clockTime(date: Date): string {
  const two = (n: number, digits = 2): string => String(n).padStart(digits, '0')
  const [hours, minutes, seconds] = [date.getHours(), date.getMinutes(), date.getSeconds()]
  return `${two(hours)}:${two(minutes)}:${two(seconds)}.${two(date.getMilliseconds(), 3)}`
}

export function roleOf({ condition, leads, leader, status }: LiveMember): Role {
  if (condition === 'dead' || condition === 'unreachable') return 'crashed'
  if (leads) return 'leader'
  if (leader !== null) return 'follower'
  return status === '' || status === 'off' ? 'starting' : 'candidate'
}

export function tintOfName(names: readonly string[], name: string): string {
  return tintOf(names.length - 1 - names.indexOf(name))
}

/** Whether the link between two members is cut. */
export function isCut(cuts: ReadonlySet<string>, a: string, b: string): boolean {
  return cuts.has(`${a}|${b}`) || cuts.has(`${b}|${a}`)
}
