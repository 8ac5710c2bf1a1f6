/**
 * The statechart of Bully_FD (001 Fig. 2) as data: n processes side by side (AND), each in one of its
 * states (OR), every transition labelled event[condition]/action. Figures are drawn from these tables, and
 * a test compares them with what the code does.
 */

export interface Transition {
  /** The label on the arrow. 001's text names two of those of its figure, i1 and i4. */
  readonly label: string
  readonly from: string
  readonly to: string
  /** What the code sees: a message's type, a detector's answer, a timer, or `start`. */
  readonly on: readonly string[]
  readonly event: string
  readonly condition?: string
  readonly action?: string
}

export interface Statechart {
  readonly name: string
  readonly title: string
  readonly states: readonly string[]
  readonly transitions: readonly Transition[]
}

/** Where a process is before it runs. */
export const START = 'start'

const ALL_DOWN = 'DownSig from all of less(i)'
const ALL_IN = 'acks ∪ dw_gter = greater(i)'

/** As printed: i1 and i4 from the text on Fig. 2, the others from the prose of 001 §4.2. */
export const printed: Statechart = {
  name: 'bully-fd-printed',
  title: 'Bully_FD as 001 §4.2 tells it',
  states: ['Norm', 'Elec1', 'Elec2', 'Wait'],
  transitions: [
    { label: 'i0', from: START, to: 'Elec1', on: ['start'], event: 'recovery' },
    {
      label: 'i1',
      from: 'Norm',
      to: 'Elec1',
      on: ['down', 'notNorm'],
      event: 'DownSig ldr ∨ (NotNorm j ∧ i = ldr)',
    },
    { label: 'i2', from: 'Elec1', to: 'Elec2', on: ['down'], event: ALL_DOWN },
    {
      label: 'i3',
      from: 'Elec2',
      to: 'Norm',
      on: ['ack'],
      event: 'Ack j',
      condition: ALL_IN,
      action: 'Ldr to acks',
    },
    { label: 'i4', from: 'Norm', to: 'Wait', on: ['halt'], event: 'Halt j', action: 'Ack j' },
    { label: 'i5', from: 'Wait', to: 'Norm', on: ['ldr'], event: 'Ldr j', condition: 't = elid' },
    { label: 'i6', from: 'Wait', to: 'Elec1', on: ['down'], event: 'DownSig head(elid)' },
  ],
}

const ASK = 'Request_FD(less(i))'
const HALT = 'Halt to greater(i), fresh id'

/** As we run it. */
export const asRun: Statechart = {
  name: 'bully-fd-as-run',
  title: 'Bully_FD as we run it',
  states: ['Norm', 'Elec1', 'Elec2', 'Elec3', 'Wait'],
  transitions: [
    {
      label: 'i1',
      from: START,
      to: 'Elec1',
      on: ['start'],
      event: 'recovery',
      condition: 'less(i) ≠ ∅',
      action: ASK,
    },
    {
      label: 'i2',
      from: START,
      to: 'Elec2',
      on: ['start'],
      event: 'recovery',
      condition: 'less(i) = ∅',
      action: HALT,
    },
    {
      label: 'i3',
      from: 'Norm',
      to: 'Elec1',
      on: ['down', 'notNorm'],
      event: 'DownSig ldr ∨ NotNorm j',
      condition: 'no Halt pending, or i = ldr ∧ t = elid ∧ less(i) ≠ ∅',
      action: ASK,
    },
    {
      label: 'i4',
      from: 'Norm',
      to: 'Elec2',
      on: ['notNorm'],
      event: 'NotNorm j',
      condition: 'i = ldr ∧ t = elid ∧ less(i) = ∅',
      action: HALT,
    },
    {
      label: 'i5',
      from: 'Norm',
      to: 'Wait',
      on: ['halt', 'down'],
      event: 'Halt j ∨ DownSig ldr',
      condition: 'ldr does not outrank j, or is down with Halt j pending',
      action: 'Ack j',
    },
    {
      label: 'i6',
      from: 'Elec1',
      to: 'Elec2',
      on: ['down'],
      event: ALL_DOWN,
      condition: 'greater(i) ≠ ∅',
      action: HALT,
    },
    {
      label: 'i7',
      from: 'Elec1',
      to: 'Elec3',
      on: ['down'],
      event: ALL_DOWN,
      condition: 'greater(i) = ∅',
      action: ASK,
    },
    { label: 'i8', from: 'Elec1', to: 'Wait', on: ['halt'], event: 'Halt j', action: 'Ack j' },
    { label: 'i9', from: 'Elec2', to: 'Elec2', on: ['restart'], event: 'τ2', action: HALT },
    {
      label: 'i10',
      from: 'Elec2',
      to: 'Elec3',
      on: ['ack', 'down'],
      event: 'Ack j ∨ DownSig j',
      condition: `${ALL_IN} ∧ less(i) ≠ ∅`,
      action: ASK,
    },
    {
      label: 'i11',
      from: 'Elec2',
      to: 'Norm',
      on: ['ack', 'down'],
      event: 'Ack j ∨ DownSig j',
      condition: `${ALL_IN} ∧ less(i) = ∅`,
      action: 'Ldr to acks',
    },
    { label: 'i12', from: 'Elec2', to: 'Wait', on: ['halt'], event: 'Halt j', action: 'Ack j' },
    {
      label: 'i13',
      from: 'Elec3',
      to: 'Norm',
      on: ['down'],
      event: ALL_DOWN,
      action: 'Ldr to acks',
    },
    { label: 'i14', from: 'Elec3', to: 'Elec1', on: ['up'], event: 'UpSig j', action: ASK },
    { label: 'i15', from: 'Elec3', to: 'Wait', on: ['halt'], event: 'Halt j', action: 'Ack j' },
    { label: 'i16', from: 'Wait', to: 'Norm', on: ['ldr'], event: 'Ldr j', condition: 't = elid' },
    {
      label: 'i17',
      from: 'Wait',
      to: 'Elec1',
      on: ['down'],
      event: 'DownSig head(elid)',
      condition: 'no Halt pending',
      action: ASK,
    },
    {
      label: 'i18',
      from: 'Wait',
      to: 'Wait',
      on: ['halt', 'down'],
      event: 'Halt j ∨ DownSig head(elid)',
      condition: 'head(elid) does not outrank j, or is down with Halt j pending',
      action: 'Ack j',
    },
  ],
}

/** event[condition]/action */
export function labelOf({ event, condition, action }: Transition): string {
  const when = condition === undefined ? '' : ` [${condition}]`
  return `${event}${when}${action === undefined ? '' : ` / ${action}`}`
}
