/** The members that one status server shows: one of a process, or those of a node in many groups. */
import type { Election } from '../handle.ts'
import { PortNode, type ElectionNode } from '../node.ts'
import { TermCounts, type ServedMember } from './metrics.ts'

export class ServedGroups {
  /** Whether there can be more than one. */
  readonly areMany: boolean
  private readonly members = new Map<string, ServedMember>()
  private readonly isJoined: (election: Election) => boolean

  constructor(source: Election | ElectionNode) {
    this.areMany = source instanceof PortNode
    const add = (election: Election): void => {
      this.members.set(election.group, { election, counts: new TermCounts(election) })
    }
    if (source instanceof PortNode) {
      source.eachElection(add)
      this.isJoined = (election) => source.election(election.group) === election
    } else {
      add(source as Election)
      this.isJoined = () => true
    }
  }

  get all(): readonly ServedMember[] {
    for (const [group, { election }] of this.members) {
      if (!this.isJoined(election)) this.members.delete(group)
    }
    return [...this.members.values()]
  }

  /** Without a name: the only one there can be. */
  find(group: string | null): ServedMember | undefined {
    if (group === null) return this.areMany ? undefined : this.all[0]
    return this.all.find(({ election }) => election.group === group)
  }
}
