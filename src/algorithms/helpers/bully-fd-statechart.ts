/**
 * Holds the statechart of Bully_FD (001 Fig. 2) as two tables of transitions, one as printed and one as shipped, and
 * writes the label of a transition. Figures are drawn from them, and a test compares them with what the code does.
 *
 * n processes run side by side (AND), each in one of its states (OR). A label reads event [condition] / action.
 */

export interface Transition {
  /** The label on the arrow. 001's text names only i1 and i4 of its figure. */
  readonly label: string
  readonly from: string
  readonly to: string
  /** The event in the code: a message's type, a detector's verdict, a timer, or `start`. */
  readonly on: readonly string[]
  readonly event: string
  /** Empty if there is none, as `action`. */
  readonly condition: string
  readonly action: string
}

export interface Statechart {
  readonly name: string
  readonly title: string
  readonly states: readonly string[]
  readonly transitions: readonly Transition[]
}

/** The state of a process before it runs. */
export const START = 'start'

type Row = [string, string, string, readonly string[], string, condition?: string, action?: string]

function transitions(rows: readonly Row[]): Transition[] {
  return rows.map(([label, from, to, on, event, condition = '', action = '']) => {
    return { label, from, to, on, event, condition, action }
  })
}

const ALL_DOWN = 'DownSig from all of less(i)'
const ALL_IN = 'acks ∪ dw_gter = greater(i)'

const PRINTED: readonly Row[] = [
  ['i0', START, 'Elec1', ['start'], 'recovery'],
  ['i1', 'Norm', 'Elec1', ['down', 'notNorm'], 'DownSig ldr ∨ (NotNorm j ∧ i = ldr)'],
  ['i2', 'Elec1', 'Elec2', ['down'], ALL_DOWN],
  ['i3', 'Elec2', 'Norm', ['ack'], 'Ack j', ALL_IN, 'Ldr to acks'],
  ['i4', 'Norm', 'Wait', ['halt'], 'Halt j', '', 'Ack j'],
  ['i5', 'Wait', 'Norm', ['ldr'], 'Ldr j', 't = elid'],
  ['i6', 'Wait', 'Elec1', ['down'], 'DownSig head(elid)'],
]

const ASK = 'Request_FD(less(i))'
const HALT = 'Halt to greater(i), fresh id'

const AS_RUN: readonly Row[] = [
  ['i1', START, 'Elec1', ['start'], 'recovery', 'less(i) ≠ ∅', ASK],
  ['i2', START, 'Elec2', ['start'], 'recovery', 'less(i) = ∅', HALT],
  [
    'i3',
    'Norm',
    'Elec1',
    ['down', 'notNorm'],
    'DownSig ldr ∨ NotNorm j',
    'no Halt pending, or i = ldr ∧ t = elid ∧ less(i) ≠ ∅',
    ASK,
  ],
  ['i4', 'Norm', 'Elec2', ['notNorm'], 'NotNorm j', 'i = ldr ∧ t = elid ∧ less(i) = ∅', HALT],
  [
    'i5',
    'Norm',
    'Wait',
    ['halt', 'down'],
    'Halt j ∨ DownSig ldr',
    'ldr does not outrank j, or is down with Halt j pending',
    'Ack j',
  ],
  ['i6', 'Elec1', 'Elec2', ['down'], ALL_DOWN, 'greater(i) ≠ ∅', HALT],
  ['i7', 'Elec1', 'Elec3', ['down'], ALL_DOWN, 'greater(i) = ∅', ASK],
  ['i8', 'Elec1', 'Wait', ['halt'], 'Halt j', '', 'Ack j'],
  ['i9', 'Elec2', 'Elec2', ['restart'], 'τ2', '', HALT],
  ['i10', 'Elec2', 'Elec3', ['ack', 'down'], 'Ack j ∨ DownSig j', `${ALL_IN} ∧ less(i) ≠ ∅`, ASK],
  [
    'i11',
    'Elec2',
    'Norm',
    ['ack', 'down'],
    'Ack j ∨ DownSig j',
    `${ALL_IN} ∧ less(i) = ∅`,
    'Ldr to acks',
  ],
  ['i12', 'Elec2', 'Wait', ['halt'], 'Halt j', '', 'Ack j'],
  ['i13', 'Elec3', 'Norm', ['down'], ALL_DOWN, '', 'Ldr to acks'],
  ['i14', 'Elec3', 'Elec1', ['up'], 'UpSig j', '', ASK],
  ['i15', 'Elec3', 'Wait', ['halt'], 'Halt j', '', 'Ack j'],
  ['i16', 'Wait', 'Norm', ['ldr'], 'Ldr j', 't = elid'],
  ['i17', 'Wait', 'Elec1', ['down'], 'DownSig head(elid)', 'no Halt pending', ASK],
  [
    'i18',
    'Wait',
    'Wait',
    ['halt', 'down'],
    'Halt j ∨ DownSig head(elid)',
    'head(elid) does not outrank j, or is down with Halt j pending',
    'Ack j',
  ],
]

/** As printed: i1 and i4 from the text on Fig. 2, the others from the prose of 001 §4.2. */
export const printed: Statechart = {
  name: 'bully-fd-printed',
  title: 'Bully_FD as 001 §4.2 tells it',
  states: ['Norm', 'Elec1', 'Elec2', 'Wait'],
  transitions: transitions(PRINTED),
}

export const asRun: Statechart = {
  name: 'bully-fd-as-run',
  title: 'Bully_FD as shipped',
  states: ['Norm', 'Elec1', 'Elec2', 'Elec3', 'Wait'],
  transitions: transitions(AS_RUN),
}

export function labelOf({ event, condition, action }: Transition): string {
  const when = condition === '' ? '' : ` [${condition}]`
  return `${event}${when}${action === '' ? '' : ` / ${action}`}`
}
