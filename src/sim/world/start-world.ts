/**
 * Sets up the first moment of a world: which members are up, settled or about to start, what detectors know, and the
 * faults to come.
 */
import { NONE, type NodeId } from '../../core/node-id.ts'
import { NodeSet } from '../../core/node-set.ts'
import { EventKind } from '../queue/event-kinds.ts'
import type { World } from './world.ts'

export function startWorld(world: World): void {
  const { config, group, monitors, schedule, members, detectors, effects } = world
  const down = new Set(config.down)
  const up = [...group.everyone].filter((node) => !down.has(node))
  const knownDown = new NodeSet()
  for (const peer of config.knownDown) knownDown.add(peer)
  for (const node of group.everyone) {
    if (config.initiators !== null) members.settle(node, knownDown)
    if (down.has(node)) members.end(node)
    else monitors.wentUp(node, 0)
  }
  for (const node of up) {
    effects.beginStep(node)
    detectors.begin(node, false)
    for (const peer of config.knownDown) detectors.knownDown(node, peer)
  }
  config.faults.forEach(({ at }, i) => schedule.push(at, EventKind.FAULT, NONE, i, 0, undefined))
  if (config.initiators === null) for (const node of up) members.scheduleStart(node, 0)
  else startSettled(world, up, config.initiators)
}

/** All up members follow the strongest. The initiators start an election, or get the report that it is down. */
function startSettled(
  { config, group, monitors, schedule, incarnation, members }: World,
  up: readonly NodeId[],
  initiators: readonly NodeId[],
): void {
  for (const node of up) {
    const { leader, term } = members.states[node]
    monitors.changed(node, leader, term, 0)
  }
  members.waitingSettled = new Set(up)
  for (const node of initiators) {
    if (config.algorithm.topology === 'ring') members.scheduleStart(node, 0)
    else {
      members.pendingStarts += 1
      schedule.push(0, EventKind.NOTICE, node, group.strongest, incarnation[node], undefined)
    }
  }
}
