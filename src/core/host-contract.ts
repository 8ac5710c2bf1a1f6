/**
 * The host contract: lists and names the duties of every host of an algorithm, those in a step in their order and
 * those around it.
 *
 * A host feeds events to one member's handlers: a start, a message, a time-out, a verdict of the detector, a
 * draw, a request to resign. One event makes one step, and a step does the following, in this order:
 *
 *   1. The detector is notified of the sender of an election message, before the handler can ask about it.
 *   2. The handler runs to completion. It never re-enters; whatever it causes comes in later steps.
 *   3. Stable fields become durable. If that fails, the incarnation ends here and nothing below happens. A
 *      step that sends nothing, on a member that does not lead, may postpone this: if the member then
 *      crashes, all others see what they would see if the crash had come before the step.
 *      A stable field that no guard reads (an observer) may become durable later, too: lost, it changes
 *      nothing that a member does. It outlives the process at once, and a failure of the machine soon after.
 *   4. Messages leave, in the order in which the handler sent them, those of the detector included.
 *   5. Timers start to count. They count from the beginning of the step, but fire after its messages left.
 *   6. The new status, leader and term, and the deadline, become visible to users, monitors and recorders.
 *
 * Around steps a host keeps six more duties:
 *
 *   7. Expired deadlines first: if a timer of kind `deadline` is overdue, its time-out is the next event.
 *   8. `start` is the first event of an incarnation, and happens once. Earlier messages are discarded.
 *   9. A crash keeps the stable fields and nothing else: no timer, request, watch, draw or received message
 *      of one incarnation reaches the next.
 *  10. A timer fires only while it is set; setting it again replaces it, and clearing it cancels it.
 *  11. Each request gets one verdict, each watch at most one `down`, each draw one number in its range. A
 *      `down` ends both the request and the watch about that peer.
 *  12. Where the data of the configuration that a member has adopted (`configuration`) says what its group is made of
 *      (more seats, other strengths, other timing), the handlers of its next step are those of that group. The
 *      state stays, and so do timers that run. The same holds before the first step of an incarnation.
 *
 * A host may share heartbeats between groups. It asks the algorithm whether a member `rests`; from then on the member takes
 * no steps, while both sides of a connection vouch for it. Before anything else happens to it, and before its deadline is
 * read, the host lets it take note of the last round (`beaten`), whose steps begin at the moments at which it was sent
 * and arrived. Only the runtime does: what it does is what a round does, whose steps all hosts take.
 *
 * The simulator, the stepper, the checker and the runtime keep the same duties. Hosts without a clock treat
 * time as arbitrary, hosts whose detector is an oracle have nobody to notify, and hosts without a disk lose
 * nothing that is stable: there those duties hold by construction. `test/conformance/hosts.test.ts` runs one
 * suite over all of them, and shows that it fails for a host that swaps two duties, or keeps its handlers.
 */

/** The duties of a step in their order; `test/conformance/reference-host.ts` carries them out literally. */
export const STEP_DUTIES = [
  'notify the detector',
  'run the handler',
  'persist stable fields',
  'send messages',
  'start timers',
  'publish the state',
] as const

export type StepDuty = (typeof STEP_DUTIES)[number]
