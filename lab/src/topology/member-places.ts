/** Places the members of a run on a circle, and says how large they are and which links are drawn. */
import type { Run } from '../simulation/worker-protocol.ts'
import type { Point } from './draw-messages.ts'

/** With more members, only numbers are drawn, and no links between all of them. */
export const MANY = 14

/** The diameter of a member. */
export function sizeOf(members: number): number {
  if (members <= 9) return 54
  if (members <= MANY) return 44
  return members <= 40 ? 30 : 24
}

/** The centre of each member, by label: clockwise in ring order, the strongest at the top. */
export function placesOf(
  ring: readonly number[],
  { width, height }: { readonly width: number; readonly height: number },
): Point[] {
  const many = ring.length > MANY
  const room = many ? 26 : 54
  const [rx, ry] = [Math.max(40, width / 2 - room - 10), Math.max(40, height / 2 - room)]
  // At most 1.3 times as wide as high, or as high as wide.
  const r = Math.min(Math.max(rx, ry), rx * 1.3, ry * 1.3)
  const found: Point[] = []
  ring.forEach((label, i) => {
    const angle = (2 * Math.PI * i) / ring.length - Math.PI / 2
    found[label] = {
      x: width / 2 + Math.min(rx, r) * Math.cos(angle),
      y: height / 2 - (many ? 0 : 6) + Math.min(ry, r) * Math.sin(angle),
    }
  })
  return found
}

export function linksOf({ ring, algorithm }: Run): { from: number; to: number }[] {
  if (algorithm.topology === 'ring') {
    return ring.map((from, i) => ({ from, to: ring[(i + 1) % ring.length] }))
  }
  if (ring.length > MANY) return []
  return ring.flatMap((from, i) => ring.slice(i + 1).map((to) => ({ from, to })))
}
