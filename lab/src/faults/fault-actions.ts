/** Lists the faults that apply to the selected member, link or message, as buttons that inject them; finds the selected member. */
import { say, t } from '../language/translate.ts'
import { withSeat } from '../run/edit-settings.ts'
import { MOST_MEMBERS } from '../simulation/run-limits.ts'
import type { MemberFrame } from '../simulation/frames.ts'
import { undelivered } from '../simulation/messages-in-flight.ts'
import type { Arrow, RunPlayer } from '../simulation/run-player.svelte.ts'
import type { Settings } from '../simulation/worker-protocol.ts'

interface FaultButton {
  readonly name: string
  readonly key?: string
  readonly danger?: boolean
  readonly run: () => void
}

export interface FaultActions {
  /** What the faults apply to. */
  readonly target: string
  readonly buttons: readonly FaultButton[]
}

export function actionsFor(player: RunPlayer): FaultActions {
  const { selection, frame } = player
  if (selection?.kind === 'message') return messageActions(player, selection.arrow)
  if (selection?.kind === 'link') return linkActions(player, selection.from, selection.to)
  const member = frame?.members[selectedMember(player) - 1]
  if (member === undefined) {
    return { target: say('Select a member, a link or a message, or press 1–9.'), buttons: [] }
  }
  return memberActions(player, member)
}

/** The selected member, or the leader if nothing is selected; 0: neither. */
export function selectedMember({ selection, frame }: RunPlayer): number {
  if (selection?.kind === 'member') return selection.label
  if (selection !== null) return 0
  return frame?.members.find(({ role }) => role === 'leader')?.label ?? 0
}

/** Makes buttons that add a fault to the run; `key` presses one, if it is not empty. */
function injector(player: RunPlayer) {
  return (key: string, name: string, ...fault: [kind: string, value: string, said: string]) => ({
    name,
    run: () => void player.injectFault(...fault),
    ...(key !== '' && { key }),
  })
}

function memberActions(player: RunPlayer, member: MemberFrame): FaultActions {
  const { label, up, paused, slow, role } = member
  const [name, id] = [String(label), String(label)]
  const others = (player.run?.ring ?? []).filter((peer) => peer !== label)
  const isolated = player.frame?.cuts.has(`${label}>${others[0]}`) === true
  const inject = injector(player)
  const whileUp = (): FaultButton[] => [
    {
      ...inject('c', say('Crash'), 'crash', id, say('member {name} crashes', { name })),
      danger: true,
    },
    paused
      ? inject('p', say('Resume'), 'resume', id, say('member {name} resumes', { name }))
      : inject('p', say('Pause'), 'pause', id, say('member {name} pauses', { name })),
    slow
      ? inject(
          's',
          say('Full speed'),
          'slow',
          `${id}+0ms`,
          say('member {name} runs at full speed', { name }),
        )
      : inject('s', say('Slow'), 'slow', `${id}+20ms`, say('member {name} is slow', { name })),
    ...resignation(player, member),
  ]
  const recover = (): FaultButton =>
    inject('r', say('Recover'), 'recover', id, say('member {name} recovers', { name }))
  const isolate = `${label}|${others.join(',')}`
  const buttons = [
    ...(up ? whileUp() : [recover()]),
    isolated
      ? inject('h', say('Heal all'), 'heal', '', say('all links are healed'))
      : inject('x', say('Isolate'), 'cut', isolate, say('member {name} is isolated', { name })),
  ]
  buttons.push(...changesOf(player, member))
  const isDefault = role === 'leader' && player.selection === null
  return {
    target: say(isDefault ? 'Member {name}, the leader' : 'Member {name}', { name }),
    buttons,
  }
}

/** The leader of the selected member resigns: in favour of that member, unless it is the leader. */
function resignation(player: RunPlayer, { label, leader }: MemberFrame): FaultButton[] {
  const { run, frame } = player
  const from = frame?.members[leader - 1]
  if (run?.algorithm.resigns !== true || from?.role !== 'leader') return []

  const value = leader === label ? String(leader) : `${leader}>${label}`
  const names = { name: leader, peer: label }
  const announcement = say(
    leader === label ? 'member {name} resigns' : 'member {name} resigns in favour of {peer}',
    names,
  )
  const name = leader === label ? say('Resign') : say('{name} resigns in favour of {peer}', names)
  return [injector(player)('g', name, 'resign', value, announcement)]
}

/** Changes of the group: they ask the leader, again and again until it is done. */
function changesOf(player: RunPlayer, { label, seat }: MemberFrame): FaultButton[] {
  const { run, frame } = player
  if (run?.algorithm.changes !== true) return []
  const [name, id] = [player.nameOf(label), String(label)]
  const others = (frame?.members ?? []).filter(
    (member) => member.seat === 'outside' && member.label !== label,
  )
  const inject = injector(player)
  const remove = inject('o', t('fault.remove'), 'remove', id, t('fault.removes', { name }))
  if (seat === 'outside') return [addition(player, label)]
  if (seat === 'observer') {
    return [inject('a', t('fault.promote'), 'promote', id, t('fault.promotes', { name })), remove]
  }
  const next = others.length > 0 ? others[0].label : run.members + 1
  return next > MOST_MEMBERS ? [remove] : [remove, addition(player, next)]
}

/** A button that adds a member, as an observer; one that the run does not have yet gets a seat outside. */
function addition(player: RunPlayer, label: number): FaultButton {
  const name = player.nameOf(label)
  const { members = 0, configuration } = player.run ?? {}
  const from =
    label > members
      ? (settings: Settings): Settings => withSeat(settings, configuration?.voters ?? [], label)
      : undefined
  const announcement = t('fault.adds', { name })
  return {
    name: t('fault.add', { name }),
    key: 'a',
    run: () => void player.injectFault('add', String(label), announcement, from),
  }
}

function linkActions(player: RunPlayer, from: number, to: number): FaultActions {
  const directions = [
    [from, to],
    [to, from],
  ] as const
  const inject = injector(player)
  const open = directions.filter(([a, b]) => player.frame?.cuts.has(`${a}>${b}`) !== true)
  const buttons: FaultButton[] = []
  if (open.length > 0) {
    const said = say('the link between {from} and {to} is cut', { from, to })
    buttons.push({
      ...inject('x', say('Cut both ways'), 'cut', `${from}|${to}`, said),
      danger: true,
    })
  }
  for (const [a, b] of open) {
    const names = { from: a, to: b }
    const said = say('the link from {from} to {to} is cut', names)
    buttons.push(inject('', say('Cut {from} → {to}', names), 'cut', `${a}>${b}`, said))
  }
  if (open.length < 2) {
    buttons.push(inject('h', say('Heal'), 'heal', `${from}|${to}`, say('the link is healed')))
  }
  for (const [a, b] of directions) {
    const names = { from: a, to: b }
    const said = say('the next message from {from} to {to} will be lost', names)
    const key = a === from ? 'd' : ''
    buttons.push(inject(key, say('Drop next {from} → {to}', names), 'drop', `${a}>${b}`, said))
  }
  return { target: say('Link {from} – {to}', { from, to }), buttons }
}

function messageActions(player: RunPlayer, arrow: Arrow): FaultActions {
  const target = `${arrow.type}, ${arrow.from} → ${arrow.to}`
  // A fault names a message by its place among those in flight on the link, in order of arrival.
  const place = undelivered(player)
    .filter(({ from, to }) => from === arrow.from && to === arrow.to)
    .indexOf(arrow)
  if (place < 0) return { target: say('{target}: no longer in flight', { target }), buttons: [] }
  const value = `${arrow.from}>${arrow.to}${place === 0 ? '' : `#${place + 1}`}`
  const inject = injector(player)
  return {
    target,
    buttons: [
      {
        ...inject('d', say('Drop'), 'discard', value, say('{target} is lost', { target })),
        danger: true,
      },
      inject(
        'l',
        say('Delay 20 ms'),
        'delay',
        `${value}+20ms`,
        say('{target} is delayed', { target }),
      ),
      inject('u', say('Duplicate'), 'repeat', value, say('{target} will arrive twice', { target })),
    ],
  }
}
