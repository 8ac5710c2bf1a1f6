/** A group without clocks for races and tests: its members, their messages, changes, rounds and refusals in a few words. */
import { handlersOf, type Algorithm } from '../../src/core/algorithm.ts'
import { changeOfSeat, type ChangeRefusal, type SeatRole } from '../../src/core/configuration.ts'
import type { NodeId } from '../../src/core/node-id.ts'
import { Stepper, type StepperConfig } from '../../src/sim/stepper/stepper.ts'
import { bullyFdQuorum } from '../../src/algorithms/bully-fd-quorum.ts'

/** Its members have long followed the strongest voter. */
export class SteppedGroup {
  readonly stepper: Stepper
  private readonly algorithm: Algorithm

  constructor(given: Omit<StepperConfig, 'algorithm'>, algorithm = bullyFdQuorum) {
    const options = algorithm.untimed
    this.algorithm = algorithm
    this.stepper = new Stepper({ algorithm, options, start: 'settled', ...given })
  }

  deliver(from: NodeId, ...receivers: NodeId[]): void {
    this.end('deliver', from, receivers)
  }

  lose(from: NodeId, ...receivers: NodeId[]): void {
    this.end('lose', from, receivers)
  }

  private end(verb: 'deliver' | 'lose', from: NodeId, receivers: readonly NodeId[]): void {
    for (const to of receivers) {
      for (const message of this.stepper.linkOf(from, to)) {
        const text = this.stepper.recording.show(message, 'election')
        this.stepper.take({ verb, from, to, message: text })
      }
    }
  }

  start(node: NodeId): void {
    this.stepper.take({ verb: 'start', node })
  }

  crash(node: NodeId): void {
    this.stepper.take({ verb: 'crash', node })
  }

  /** Of a member that is down. */
  restart(node: NodeId): void {
    this.stepper.take({ verb: 'recover', node })
    this.start(node)
  }

  /** A member crashes, loses its state, and is up again. */
  forget(node: NodeId): void {
    this.crash(node)
    this.stepper.take({ verb: 'forget', node })
    this.stepper.take({ verb: 'recover', node })
  }

  down(node: NodeId, peer: NodeId): void {
    this.stepper.take({ verb: 'down', node, peer })
  }

  timeout(node: NodeId, timer: string): void {
    this.stepper.take({ verb: 'timeout', node, timer, peer: 0 })
  }

  beat(leader: NodeId): void {
    this.timeout(leader, 'tau')
  }

  resign(node: NodeId, successor: NodeId): void {
    this.stepper.take({ verb: 'resign', node, successor })
  }

  /** The leader changes a seat, and these peers adopt that. */
  commit(leader: NodeId, [seat, role]: [NodeId, SeatRole], ...peers: NodeId[]): void {
    this.change(leader, seat, role)
    this.round(leader, ...peers)
  }

  termOf(node: NodeId): number {
    return this.stepper.stateOf(node).term
  }

  /** A round of the leader and its answers. */
  round(leader: NodeId, ...peers: NodeId[]): void {
    this.deliver(leader, ...peers)
    for (const peer of peers) this.deliver(peer, leader)
  }

  change(node: NodeId, seat: NodeId, role: SeatRole): void {
    this.stepper.take({ verb: 'change', node, seat, role })
  }

  refusal(node: NodeId, seat: NodeId, role: SeatRole): ChangeRefusal {
    const handlers = handlersOf(this.algorithm, this.stepper.group, this.algorithm.untimed)
    const state = this.stepper.stateOf(node)
    const change = changeOfSeat(handlers.configuration!(state), seat, role)
    return handlers.changeRefusal!(state, change, node)
  }

  configuration(node: NodeId): [term: number, version: number, voters: NodeId[]] {
    const handlers = handlersOf(this.algorithm, this.stepper.group, this.algorithm.untimed)
    const { term, version, voters } = handlers.configuration!(this.stepper.stateOf(node))
    return [term, version, [...voters]]
  }

  leads(node: NodeId): boolean {
    return this.stepper.stateOf(node).leader === node
  }
}
