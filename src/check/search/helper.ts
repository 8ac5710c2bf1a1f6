/** A thread that helps a search: it joins, does its part of each phase, and returns when the search stops. */
import type { CheckConfig } from '../options.ts'
import type { Observed, Observer } from './judging.ts'
import { Control, Order, SearchMemory, type SharedMemory } from './search-memory.ts'
import { Phase, SearchThread } from './search-thread.ts'

/** What a search hands to the threads that help it. */
export interface SearchToHelp {
  readonly config: CheckConfig
  readonly memory: SharedMemory
}

/** Starts threads that call `help`, at any time from now on; each ends by itself. */
export interface Helpers {
  /** A search with this many states starts them. */
  readonly fromStates: number
  start(search: SearchToHelp): void
}

export function help(
  { config, memory: shared }: SearchToHelp,
  observe: (observed: Observed) => Observer,
): void {
  const memory = new SearchMemory(shared)
  const thread = new SearchThread(config, false, memory, observe)
  const { control } = memory
  // As in the first thread, the initial state has the first numbers.
  thread.actions.initialize()
  thread.log.attach()
  const number = 1 + Atomics.add(control, Control.JOINED, 1)
  for (let order = 0; Order.phaseOf(order) !== Phase.STOP;) {
    order = nextOrder(control, order)
    if (number > Order.partyOf(order)) continue
    takePart(memory, thread, order, number)
    if (Atomics.sub(control, Control.WORKING, 1) === 1) Atomics.notify(control, Control.WORKING)
  }
}

/** Waits until there is another order. A notice may be that of an order which is carried out already. */
function nextOrder(control: Int32Array, before: number): number {
  for (;;) {
    const order = Atomics.load(control, Control.ORDER)
    if (order !== before) return order
    Atomics.wait(control, Control.ORDER, before)
  }
}

function takePart(memory: SearchMemory, thread: SearchThread, order: number, number: number): void {
  const { control, table } = memory
  const phase = Order.phaseOf(order)
  try {
    memory.refresh()
    thread.log.catchUp()
    table.adopt(control[Control.SIZE], control[Control.LENGTH], control[Control.SLOT_BITS])
    thread.model.codec.adopt(control[Control.MEMBER_BITS], control[Control.INBOX_BITS])
    thread.perform(phase, number, 1 + Order.partyOf(order))
    if (phase === Phase.EXPAND) tell(control, thread)
  } catch {
    Atomics.store(control, Control.BROKEN, 1)
  }
}

/** Tells the others what the handlers have shown. */
function tell(control: Int32Array, { model }: SearchThread): void {
  const { runner } = model
  Atomics.or(control, Control.SHORT_TIMERS_MET, runner.shortTimersMet)
  Atomics.or(control, Control.HANDLED, runner.handledBits)
  if (runner.resigned) Atomics.store(control, Control.RESIGNED, 1)
  if (runner.changed) Atomics.store(control, Control.CHANGED, 1)
}
