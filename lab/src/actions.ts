/** What the viewer can do to members, links and messages, by click and by key. */
import { flightsAt } from './engine/flights.ts'
import type { NodeView } from './engine/film.ts'
import type { Arrow, Session } from './engine/session.svelte.ts'

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

export function actionsFor(session: Session): Actions {
  const { selection, frame } = session
  if (selection?.kind === 'message') return messageActions(session, selection.arrow)
  if (selection?.kind === 'link') return linkActions(session, selection.from, selection.to)
  const label = chosenNode(session)
  if (label === 0 || frame === null) {
    return { what: 'Pick a node, a link or a message, or press 1–9.', list: [] }
  }
  return nodeActions(session, label)
}

/** The member that was picked, or else the leader. */
export function chosenNode({ selection, frame, run }: Session): number {
  if (selection?.kind === 'node') return selection.label
  if (selection !== null || run === null) return 0
  return frame?.nodes.find(({ role }) => role === 'leader')?.label ?? 0
}

function nodeActions(session: Session, label: number): Actions {
  const node = session.frame?.nodes[label - 1]
  const harm =
    (key: string, say: string, what = String(label)) =>
    (): void => {
      void session.harm(key, what, say)
    }
  const others = (session.run?.ring ?? []).filter((peer) => peer !== label).join(',')
  const isolated = session.frame?.cuts.has(`${label}>${others.split(',')[0]}`) ?? false
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
    const resignation = resignationOf(session, node)
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
  const isLeader = node?.role === 'leader' && session.selection === null
  return { what: `Node ${label}${isLeader ? ', the leader' : ''}`, list }
}

/** A leader steps down; where a follower is picked, its leader does, and names it. */
function resignationOf(session: Session, { label, leader }: NodeView): Action | null {
  const { run, frame } = session
  const from = frame?.nodes[leader - 1]
  if (run?.algorithm.resigns !== true || from?.role !== 'leader') return null
  const itself = leader === label
  const sentence = `node ${leader} resigns${itself ? '' : ` for ${label}`}`
  return {
    name: itself ? 'Resign' : `${leader} resigns for ${label}`,
    key: 'g',
    run: () => {
      const what = itself ? String(leader) : `${leader}>${label}`
      void session.harm('resign', what, from.paused ? `${sentence} when it resumes` : sentence)
    },
  }
}

function linkActions(session: Session, from: number, to: number): Actions {
  const cuts = session.frame?.cuts ?? new Set<string>()
  const harm = (key: string, what: string, say: string) => (): void => {
    void session.harm(key, what, say)
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

function messageActions(session: Session, arrow: Arrow): Actions {
  const what = `${arrow.type}, ${arrow.from} → ${arrow.to}`
  const place = placeOnLink(session, arrow)
  if (place === 0) return { what: `${what}: no longer under way`, list: [] }
  const spot = `${arrow.from}>${arrow.to}${place === 1 ? '' : `#${place}`}`
  const harm = (key: string, text: string, say: string) => (): void => {
    void session.harm(key, text, say)
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
function placeOnLink(session: Session, arrow: Arrow): number {
  const { run, time, usualFlight } = session
  const onLink = flightsAt(run?.space.arrows ?? [], time, usualFlight)
    .filter(({ arrow: other, lostAt }) => {
      return lostAt === null && other.from === arrow.from && other.to === arrow.to
    })
    .map(({ arrow: other }) => other)
    .sort((a, b) => a.endAt - b.endAt)
  return onLink.indexOf(arrow) + 1
}

/** Carries out a key; returns whether it meant something. */
export function press(session: Session, event: KeyboardEvent): boolean {
  const { key, shiftKey } = event
  if (/^[1-9]$/u.test(key)) {
    const label = Number(key)
    if (label > (session.run?.members ?? 0)) return false
    session.selection = { kind: 'node', label }
    return true
  }
  switch (key) {
    case ' ':
      session.toggle()
      return true
    case 'ArrowLeft':
    case 'ArrowRight': {
      const by = key === 'ArrowLeft' ? -1 : 1
      if (shiftKey) session.leap(by)
      else session.step(by)
      return true
    }
    case '[':
    case ']':
      session.faster(key === '[' ? -1 : 1)
      return true
    case 'Home':
      session.pause()
      session.seek(0)
      return true
    case 'End':
      session.pause()
      session.seek(session.end)
      return true
    case 'Escape':
      session.selection = null
      return true
    case 'v':
      session.toViolation()
      return true
    case 'm':
      pickNextMessage(session)
      return true
  }
  if (!session.canHarm) return false
  const action = actionsFor(session).list.find((one) => one.key === key)
  if (action !== undefined) {
    action.run()
    return true
  }
  if (key === 'd') return dropNearest(session)
  if (key === 'h') {
    void session.harm('heal', '', 'all cuts heal')
    return true
  }
  return false
}

/** Goes through the messages under way, the next to arrive first. */
function pickNextMessage(session: Session): void {
  const { run, time, usualFlight, selection } = session
  const arrows = flightsAt(run?.space.arrows ?? [], time, usualFlight)
    .filter(({ lostAt }) => lostAt === null)
    .map(({ arrow }) => arrow)
    .sort((a, b) => a.endAt - b.endAt)
  if (arrows.length === 0) return
  session.pause()
  const place = selection?.kind === 'message' ? arrows.indexOf(selection.arrow) : -1
  session.selection = { kind: 'message', arrow: arrows[(place + 1) % arrows.length] }
}

/** The next message to arrive, of the member that was picked if there is one. */
function dropNearest(session: Session): boolean {
  const { run, time, usualFlight, selection } = session
  const label = selection?.kind === 'node' ? selection.label : 0
  const next = flightsAt(run?.space.arrows ?? [], time, usualFlight)
    .filter(({ lostAt, arrow: { from, to } }) => {
      return lostAt === null && (label === 0 || from === label || to === label)
    })
    .map(({ arrow }) => arrow)
    .sort((a, b) => a.endAt - b.endAt)
    .at(0)
  if (next === undefined) return false
  session.selection = { kind: 'message', arrow: next }
  actionsFor(session).list.at(0)?.run()
  return true
}
