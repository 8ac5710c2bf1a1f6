/** Defines the kinds of scheduled events, and the frame that message events carry. */
import type { AnyMessage } from '../../core/algorithm.ts'
import type { Part } from '../record/step.ts'

/** Each comment says what the columns a, b and payload mean. */
export const EventKind = {
  DELIVER: 0, // a: from, b: incarnation of the receiver, payload: Frame
  HANDLE: 1, // the same, after the time that the member takes to handle it
  TIMER: 2, // a: timer
  DRAWN: 3, // b: incarnation, payload: name and number
  START: 4, // b: incarnation
  FAULT: 5, // a: index into the configuration's faults
  DEPART: 6, // a: to, b: incarnation of the sender, payload: Frame; sequential sending
  NOTICE: 7, // a: the member that is reported down to the initiator, b: incarnation
  ANSWER: 8, // a: peer, b: serial of the request, 0 for a watch, payload: the verdict
  DETECTOR_TIMER: 9, // a: timer, b: serial, payload: peer
  STOP: 10,
  RECEIVE: 11, // as DELIVER, deferred by a paused member
  RESIGN: 12, // a: the successor that is named, b: incarnation
  LEFT: 13, // a: the peer that left, b: incarnation, payload: the peer's incarnation that is over
  ASK: 15, // a: how often it was asked with this; payload: a request to change the configuration
  WRITTEN: 14, // b: incarnation, payload: the messages that waited for the durable write
} as const

export interface Frame {
  readonly message: AnyMessage
  readonly part: Part
  /** Whether the run is not quiet while this is in flight. */
  readonly awaited: boolean
  readonly sent: number
}
