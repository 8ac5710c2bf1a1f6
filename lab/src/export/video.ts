/** Records the topology of a run as a WebM video, from the moment that is shown to the end of the run, at the speed that is chosen. */
import { t } from '../language/translate.ts'
import type { MemberFrame } from '../simulation/frames.ts'
import { messagesInFlight } from '../simulation/messages-in-flight.ts'
import type { RunPlayer } from '../simulation/run-player.svelte.ts'
import { drawMembers } from '../topology/draw-members.ts'
import { drawMessages } from '../topology/draw-messages.ts'
import { layoutOf, linksOf, type Layout, type Point } from '../topology/member-places.ts'
import { onTint } from '../topology/tints.ts'
import { colours, type Colours } from '../shell/theme.svelte.ts'

const SIZE = { width: 960, height: 640 }
const FRAMES_PER_SECOND = 30
const LONGEST_MS = 60_000
/** The end of the run stays on the screen for so long. */
const LAST_MS = 800
const TYPE = 'video/webm'

export function canRecord(): boolean {
  return typeof MediaRecorder !== 'undefined' && MediaRecorder.isTypeSupported(TYPE)
}

/** Plays the run while it records. Ends with the run, with the signal, or after a minute. */
export async function recordVideo(player: RunPlayer, signal: AbortSignal): Promise<Blob> {
  const canvas = document.createElement('canvas')
  Object.assign(canvas, SIZE)
  const context = canvas.getContext('2d')!
  const recorder = new MediaRecorder(canvas.captureStream(FRAMES_PER_SECOND), { mimeType: TYPE })
  const parts: Blob[] = []
  recorder.addEventListener('dataavailable', ({ data }) => parts.push(data))
  const ended = new Promise((resolve) => {
    recorder.addEventListener('stop', resolve)
  })
  recorder.start()
  player.play()
  const started = performance.now()
  let movedAt = started
  await new Promise<void>((resolve) => {
    const frame = (now: number): void => {
      drawFrame(context, player)
      if (player.playing) movedAt = now
      const isOver = now - movedAt > LAST_MS || now - started > LONGEST_MS
      if (isOver || signal.aborted) resolve()
      else requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  })
  player.pause()
  recorder.stop()
  await ended
  return new Blob(parts, { type: TYPE })
}

function drawFrame(context: CanvasRenderingContext2D, player: RunPlayer): void {
  const { run, frame } = player
  if (run === null || frame === null) return
  const palette = colours()
  const layout = layoutOf(run, SIZE)
  const { places, size } = layout
  context.fillStyle = palette.panel
  context.fillRect(0, 0, SIZE.width, SIZE.height)
  context.strokeStyle = palette.periodic
  context.lineWidth = 1
  for (const { from, to } of linksOf(run)) {
    context.setLineDash(frame.cuts.has(`${from}>${to}`) ? [3, 8] : [])
    drawLine(context, places[from], places[to])
  }
  context.setLineDash([])
  const scene = { context, places, colours: palette, chosen: null, still: false }
  drawMessages({ ...scene, inset: size / 2 + 14 }, messagesInFlight(player))
  if (layout.inRows) {
    const suspected = new Set(frame.members.flatMap(({ suspects }) => suspects))
    drawMembers({ context, layout, colours: palette, player, suspected }, frame.members)
  } else {
    for (const member of frame.members) drawMember(context, player, member, layout, palette)
  }
  context.fillStyle = palette.text
  context.textAlign = 'left'
  context.textBaseline = 'bottom'
  context.font = '600 16px system-ui, sans-serif'
  context.fillText(`${run.algorithm.name} · ${player.when(player.time)}`, 14, SIZE.height - 12)
}

function drawLine(context: CanvasRenderingContext2D, a: Point, b: Point): void {
  context.beginPath()
  context.moveTo(a.x, a.y)
  context.lineTo(b.x, b.y)
  context.stroke()
}

/** The shape of the rim and the words below show the role, as the colour does. */
function drawMember(
  context: CanvasRenderingContext2D,
  player: RunPlayer,
  member: MemberFrame,
  { places, size }: Layout,
  palette: Colours,
): void {
  const { label, role, up, paused, leader, status, seat } = member
  const { x, y } = places[label]
  const radius = size / 2
  const tint = player.tintOf(leader === 0 ? label : leader)
  context.beginPath()
  if (seat === 'observer')
    context.roundRect(x - radius, y - radius, 2 * radius, 2 * radius, radius / 2)
  else context.arc(x, y, radius, 0, 2 * Math.PI)
  context.fillStyle = palette.panel
  context.fill()
  context.globalAlpha = role === 'leader' ? 1 : up && leader !== 0 ? 0.34 : 0
  context.fillStyle = tint
  context.fill()
  context.globalAlpha = 1
  context.strokeStyle = palette.text
  context.lineWidth = role === 'leader' || paused ? 5 : 2
  context.setLineDash(up ? (role === 'candidate' ? [6, 4] : []) : [2, 4])
  context.stroke()
  context.setLineDash([])
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.font = `650 ${Math.round(radius * 0.7)}px ui-monospace, Menlo, Consolas, monospace`
  context.fillStyle = role === 'leader' ? onTint(tint) : palette.text
  context.fillText(player.nameOf(label), x, y)
  if (radius < 20) return
  context.font = '13px system-ui, sans-serif'
  context.fillStyle = palette.text
  const words = up
    ? paused
      ? t('role.paused')
      : role === 'leader'
        ? t('role.leader')
        : status
    : t('role.crashed')
  context.fillText(words, x, y + radius + 14)
}
