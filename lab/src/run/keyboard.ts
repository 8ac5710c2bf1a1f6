/** Executes the keyboard commands of the lab: playback, selection and faults. */
import { undelivered } from '../simulation/messages-in-flight.ts'
import type { RunPlayer } from '../simulation/run-player.svelte.ts'
import { actionsFor } from '../faults/fault-actions.ts'

const COMMANDS: Readonly<Record<string, (player: RunPlayer, shift: boolean) => void>> = {
  ' ': (player) => player.toggle(),
  ArrowLeft: (player, shift) => (shift ? player.jumpToElection(-1) : player.step(-1)),
  ArrowRight: (player, shift) => (shift ? player.jumpToElection(1) : player.step(1)),
  '[': (player) => player.faster(-1),
  ']': (player) => player.faster(1),
  Home: (player) => player.pauseAt(0),
  End: (player) => player.pauseAt(player.end),
  Escape: (player) => (player.selection = null),
  v: (player) => player.toViolation(),
  m: selectNextMessage,
}

export function press(player: RunPlayer, { key, shiftKey }: KeyboardEvent): boolean {
  if (/^[1-9]$/u.test(key)) {
    const label = Number(key)
    if (label > (player.run?.members ?? 0)) return false
    player.selection = { kind: 'member', label }
    return true
  }
  const command = COMMANDS[key] as (typeof COMMANDS)[string] | undefined
  if (command !== undefined) {
    command(player, shiftKey)
    return true
  }
  if (!player.canInjectFaults) return false
  const action = actionsFor(player).buttons.find((button) => button.key === key)
  if (action !== undefined) {
    action.run()
    return true
  }
  if (key === 'd') return dropNext(player)
  if (key === 'h') void player.injectFault('heal', '', 'all links are healed')
  return key === 'h'
}

/** Selects the messages in flight one after another, in order of arrival. */
function selectNextMessage(player: RunPlayer): void {
  const arrows = undelivered(player)
  if (arrows.length === 0) return
  player.pause()
  const { selection } = player
  const place = selection?.kind === 'message' ? arrows.indexOf(selection.arrow) : -1
  player.selection = { kind: 'message', arrow: arrows[(place + 1) % arrows.length] }
}

/** Drops the next message to arrive, of the selected member if there is one. */
function dropNext(player: RunPlayer): boolean {
  const label = player.selection?.kind === 'member' ? player.selection.label : 0
  const next = undelivered(player).find(
    ({ from, to }) => label === 0 || from === label || to === label,
  )
  if (next === undefined) return false
  player.selection = { kind: 'message', arrow: next }
  actionsFor(player).buttons.at(0)?.run()
  return true
}
