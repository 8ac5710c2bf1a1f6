/** Draws many members on a canvas: in rows, as squares where there is no room for numbers. Their colours are those of the buttons of few members. */
import type { Colours } from '../shell/theme.svelte.ts'
import type { MemberFrame } from '../simulation/frames.ts'
import type { RunPlayer } from '../simulation/run-player.svelte.ts'
import type { Layout } from './member-places.ts'
import { onTint } from './tints.ts'

/** Smaller members have no number, and no rim. */
const SMALLEST_NUMBERED = 18

interface Scene {
  readonly context: CanvasRenderingContext2D
  readonly layout: Layout
  readonly colours: Colours
  readonly player: Pick<RunPlayer, 'tintOf' | 'nameOf'>
  readonly suspected: ReadonlySet<number>
}

export function isNumbered({ size }: Layout): boolean {
  return size >= SMALLEST_NUMBERED
}

export function drawMembers(scene: Scene, members: readonly MemberFrame[]): void {
  const { context, layout } = scene
  const numbered = isNumbered(layout)
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  const px = Math.round(0.42 * layout.size)
  context.font = `650 ${px}px ui-monospace, Menlo, Consolas, monospace`
  for (const member of members) {
    if (numbered) drawNumbered(scene, member)
    else drawSquare(scene, member)
  }
  drawRowStarts(scene)
}

/** A member that follows nobody has the colour of its role. */
function tintOf({ colours, player }: Scene, { role, up, leader }: MemberFrame): string {
  if (up && leader !== 0) return player.tintOf(leader)
  return role === 'starting' || role === 'outside' ? colours.panel : colours[role]
}

function drawSquare(scene: Scene, member: MemberFrame): void {
  const { context, layout, colours, suspected } = scene
  const { x, y } = layout.places[member.label]
  const half = layout.size / 2
  context.fillStyle = tintOf(scene, member)
  if (member.role === 'leader') {
    context.globalAlpha = 0.4
    context.fillRect(x - half - 3, y - half - 3, 2 * half + 6, 2 * half + 6)
    context.globalAlpha = 1
  } else context.globalAlpha = member.up ? 0.55 : 0
  context.fillRect(x - half, y - half, 2 * half, 2 * half)
  context.globalAlpha = 1
  context.lineWidth = 1
  if (!member.up) drawCross(scene, member.label, 0.6 * half)
  else if (member.paused || member.role === 'starting' || member.role === 'outside') {
    context.strokeStyle = colours.text
    context.strokeRect(x - half, y - half, 2 * half, 2 * half)
  }
  if (!suspected.has(member.label)) return
  context.strokeStyle = colours.suspected
  context.strokeRect(x - half - 1.5, y - half - 1.5, 2 * half + 3, 2 * half + 3)
}

function drawCross({ context, layout, colours }: Scene, label: number, reach: number): void {
  const { x, y } = layout.places[label]
  context.strokeStyle = colours.crashed
  context.beginPath()
  for (const side of [reach, -reach]) {
    context.moveTo(x - side, y - reach)
    context.lineTo(x + side, y + reach)
  }
  context.stroke()
}

const DASHES: Readonly<Partial<Record<MemberFrame['role'], number[]>>> = {
  candidate: [5, 3],
  starting: [1.5, 3],
  outside: [1.5, 3],
}

function drawNumbered(scene: Scene, member: MemberFrame): void {
  const { context, layout, colours, player, suspected } = scene
  const { label, role, up, paused } = member
  const { x, y } = layout.places[label]
  const leads = role === 'leader'
  const tint = tintOf(scene, member)
  if (leads) fillDisc(scene, member, tint, 0.3, 4)
  fillDisc(scene, member, colours.panel, 1)
  if (up) fillDisc(scene, member, tint, leads ? 1 : 0.34)
  context.strokeStyle = up ? colours.text : colours.crashed
  context.lineWidth = paused ? 4 : 1.6
  context.setLineDash(DASHES[role] ?? [])
  context.stroke()
  if (suspected.has(label)) {
    outline(scene, member, 3)
    context.strokeStyle = colours.suspected
    context.lineWidth = 2
    context.setLineDash([2, 3])
    context.stroke()
  }
  context.setLineDash([])
  context.fillStyle = leads ? onTint(tint) : up ? colours.text : colours.crashed
  context.fillText(player.nameOf(label), x, y + 0.5)
}

/** An observer is square. */
function outline({ context, layout }: Scene, { label, seat }: MemberFrame, wider = 0): void {
  const { x, y } = layout.places[label]
  const radius = layout.size / 2 + wider
  context.beginPath()
  if (seat === 'observer')
    context.roundRect(x - radius, y - radius, 2 * radius, 2 * radius, radius / 2)
  else context.arc(x, y, radius, 0, 2 * Math.PI)
}

function fillDisc(
  scene: Scene,
  member: MemberFrame,
  colour: string,
  alpha: number,
  wider = 0,
): void {
  const { context } = scene
  outline(scene, member, wider)
  context.globalAlpha = alpha
  context.fillStyle = colour
  context.fill()
  context.globalAlpha = 1
}

/** Where members have no number, that of the first of each row stands beside it. */
function drawRowStarts({ context, layout, colours, player }: Scene): void {
  if (isNumbered(layout)) return
  const { places, rowStarts } = layout
  context.font = '11px ui-monospace, Menlo, Consolas, monospace'
  context.textAlign = 'right'
  context.fillStyle = colours.muted
  let last = -Infinity
  for (const label of rowStarts) {
    const { x, y } = places[label]
    if (y - last < 12) continue
    last = y
    context.fillText(player.nameOf(label), x - layout.size / 2 - 6, y + 0.5)
  }
}
