/** What the viewer can do to members, links and messages, by click and by key. */
import { messagesInFlight } from '../simulation/messages-in-flight.ts'
import type { MemberFrame } from '../simulation/frames.ts'
import type { Arrow, RunPlayer } from '../simulation/run-player.svelte.ts'

interface Action {
  readonly name: string
  readonly key?: string
  readonly danger?: boolean
  readonly run: () => void
}

export interface Actions {
  /** What they are done to. */
  readonly what: string
  readonly list: readonly Action[]
}

export function actionsFor(player: RunPlayer): Actions {
  const { selection, frame } = player
  if (selection?.kind === 'message') return messageActions(player, selection.arrow)
  if (selection?.kind === 'link') return linkActions(player, selection.from, selection.to)
  const label = chosenMember(player)
  if (label === 0 || frame === null) {
    return { what: 'Pick a node, a link or a message, or press 1–9.', list: [] }
  }
  return memberActions(player, label)
}

/** The member that was picked, or else the leader. */
export function chosenMember({ selection, frame, run }: RunPlayer): number {
  if (selection?.kind === 'member') return selection.label
  if (selection !== null || run === null) return 0
  return frame?.members.find(({ role }) => role === 'leader')?.label ?? 0
}

function memberActions(player: RunPlayer, label: number): Actions {
  const node = player.frame?.members[label - 1]
  const harm =
    (key: string, say: string, what = String(label)) =>
    (): void => {
      void player.injectFault(key, what, say)
    }
  const others = (player.run?.ring ?? []).filter((peer) => peer !== label).join(',')
  const isolated = player.frame?.cuts.has(`${label}>${others.split(',')[0]}`) ?? false
  const list: Action[] = []
  if (node?.up === true) {
    list.push({
      name: 'Crash',
      key: 'c',
      danger: true,
      run: harm('crash', `node ${label} crashes`),
    })
    list.push(
      node.paused
        ? { name: 'Resume', key: 'p', run: harm('resume', `node ${label} resumes`) }
        : { name: 'Pause', key: 'p', run: harm('pause', `node ${label} pauses`) },
    )
    list.push(
      node.slow
        ? {
            name: 'Full speed',
            key: 's',
            run: harm('slow', `node ${label} is fast`, `${label}+0ms`),
          }
        : { name: 'Slow', key: 's', run: harm('slow', `node ${label} is slow`, `${label}+20ms`) },
    )
    const resignation = resignationOf(player, node)
    if (resignation !== null) list.push(resignation)
  } else {
    list.push({ name: 'Recover', key: 'r', run: harm('recover', `node ${label} recovers`) })
  }
  list.push(
    isolated
      ? { name: 'Heal all', key: 'h', run: harm('heal', 'all cuts heal', '') }
      : {
          name: 'Cut off',
          key: 'x',
          run: harm('cut', `node ${label} is cut off`, `${label}|${others}`),
        },
  )
  const isLeader = node?.role === 'leader' && player.selection === null
  return { what: `Node ${label}${isLeader ? ', the leader' : ''}`, list }
}

/** A leader steps down; where a follower is picked, its leader does, and names it. */
function resignationOf(player: RunPlayer, { label, leader }: MemberFrame): Action | null {
  const { run, frame } = player
  const from = frame?.members[leader - 1]
  if (run?.algorithm.resigns !== true || from?.role !== 'leader') return null
  const itself = leader === label
  const sentence = `node ${leader} resigns${itself ? '' : ` for ${label}`}`
  return {
    name: itself ? 'Resign' : `${leader} resigns for ${label}`,
    key: 'g',
    run: () => {
      const what = itself ? String(leader) : `${leader}>${label}`
      void player.injectFault(
        'resign',
        what,
        from.paused ? `${sentence} when it resumes` : sentence,
      )
    },
  }
}

function linkActions(player: RunPlayer, from: number, to: number): Actions {
  const cuts = player.frame?.cuts ?? new Set<string>()
  const harm = (key: string, what: string, say: string) => (): void => {
    void player.injectFault(key, what, say)
  }
  const list: Action[] = []
  const there = cuts.has(`${from}>${to}`)
  const back = cuts.has(`${to}>${from}`)
  if (!there || !back) {
    list.push({
      name: 'Cut both ways',
      key: 'x',
      danger: true,
      run: harm('cut', `${from}|${to}`, `the link between ${from} and ${to} is cut`),
    })
  }
  if (!there) list.push({ name: `Cut ${from} → ${to}`, run: harm('cut', `${from}>${to}`, 'cut') })
  if (!back) list.push({ name: `Cut ${to} → ${from}`, run: harm('cut', `${to}>${from}`, 'cut') })
  if (there || back) {
    list.push({ name: 'Heal', key: 'h', run: harm('heal', `${from}|${to}`, 'the link heals') })
  }
  list.push({
    name: `Drop next ${from} → ${to}`,
    key: 'd',
    run: harm('drop', `${from}>${to}`, `the next message from ${from} to ${to} will be lost`),
  })
  list.push({
    name: `Drop next ${to} → ${from}`,
    run: harm('drop', `${to}>${from}`, `the next message from ${to} to ${from} will be lost`),
  })
  return { what: `Link ${from} – ${to}`, list }
}

function messageActions(player: RunPlayer, arrow: Arrow): Actions {
  const what = `${arrow.type}, ${arrow.from} → ${arrow.to}`
  const place = placeOnLink(player, arrow)
  if (place === 0) return { what: `${what}: no longer under way`, list: [] }
  const spot = `${arrow.from}>${arrow.to}${place === 1 ? '' : `#${place}`}`
  const harm = (key: string, text: string, say: string) => (): void => {
    void player.injectFault(key, text, say)
  }
  return {
    what,
    list: [
      { name: 'Drop', key: 'd', danger: true, run: harm('discard', spot, `${what} is lost`) },
      { name: 'Delay 20 ms', key: 'l', run: harm('delay', `${spot}+20ms`, `${what} is late`) },
      { name: 'Duplicate', key: 'u', run: harm('repeat', spot, `${what} will arrive twice`) },
    ],
  }
}

/** Which of the messages under way on its link it is, in the order of arrival; 0: it is not. */
function placeOnLink(player: RunPlayer, arrow: Arrow): number {
  const { run, time, usualFlight } = player
  const onLink = messagesInFlight(run?.diagram.arrows ?? [], time, usualFlight)
    .filter(({ arrow: other, lostAt }) => {
      return lostAt === null && other.from === arrow.from && other.to === arrow.to
    })
    .map(({ arrow: other }) => other)
    .sort((a, b) => a.endAt - b.endAt)
  return onLink.indexOf(arrow) + 1
}

/** Carries out a key; returns whether it meant something. */
export function press(player: RunPlayer, event: KeyboardEvent): boolean {
  const { key, shiftKey } = event
  if (/^[1-9]$/u.test(key)) {
    const label = Number(key)
    if (label > (player.run?.members ?? 0)) return false
    player.selection = { kind: 'member', label }
    return true
  }
  switch (key) {
    case ' ':
      player.toggle()
      return true
    case 'ArrowLeft':
    case 'ArrowRight': {
      const by = key === 'ArrowLeft' ? -1 : 1
      if (shiftKey) player.jumpToElection(by)
      else player.step(by)
      return true
    }
    case '[':
    case ']':
      player.faster(key === '[' ? -1 : 1)
      return true
    case 'Home':
      player.pause()
      player.seek(0)
      return true
    case 'End':
      player.pause()
      player.seek(player.end)
      return true
    case 'Escape':
      player.selection = null
      return true
    case 'v':
      player.toViolation()
      return true
    case 'm':
      pickNextMessage(player)
      return true
  }
  if (!player.canInjectFaults) return false
  const action = actionsFor(player).list.find((one) => one.key === key)
  if (action !== undefined) {
    action.run()
    return true
  }
  if (key === 'd') return dropNearest(player)
  if (key === 'h') {
    void player.injectFault('heal', '', 'all cuts heal')
    return true
  }
  return false
}

/** Goes through the messages under way, the next to arrive first. */
function pickNextMessage(player: RunPlayer): void {
  const { run, time, usualFlight, selection } = player
  const arrows = messagesInFlight(run?.diagram.arrows ?? [], time, usualFlight)
    .filter(({ lostAt }) => lostAt === null)
    .map(({ arrow }) => arrow)
    .sort((a, b) => a.endAt - b.endAt)
  if (arrows.length === 0) return
  player.pause()
  const place = selection?.kind === 'message' ? arrows.indexOf(selection.arrow) : -1
  player.selection = { kind: 'message', arrow: arrows[(place + 1) % arrows.length] }
}

/** The next message to arrive, of the member that was picked if there is one. */
function dropNearest(player: RunPlayer): boolean {
  const { run, time, usualFlight, selection } = player
  const label = selection?.kind === 'member' ? selection.label : 0
  const next = messagesInFlight(run?.diagram.arrows ?? [], time, usualFlight)
    .filter(({ lostAt, arrow: { from, to } }) => {
      return lostAt === null && (label === 0 || from === label || to === label)
    })
    .map(({ arrow }) => arrow)
    .sort((a, b) => a.endAt - b.endAt)
    .at(0)
  if (next === undefined) return false
  player.selection = { kind: 'message', arrow: next }
  actionsFor(player).list.at(0)?.run()
  return true
}
