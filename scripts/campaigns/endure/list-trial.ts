/** One trial of `npm run endure -- lists`: members restart in random order with an edited list, among kills, pauses and lost states at random; counts terms that were valid at once or fell. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../../../src/core/random.ts'
import { EditedGroup } from '../../support/edited-group.ts'
import { LIST_CHANGES, type ListChange } from '../../support/list-changes.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e']
const AT_ONCE = 3
/** It keeps its state and is in every list: members that all are without state rightly found a group of their own. */
const ANCHOR = 'a'

/** Restarts with the new list, one member after the other, and what else happens in between. */
class Sequence {
  private readonly random: Random
  private readonly group: EditedGroup
  private readonly change: ListChange
  /** The members that were started with the new list. */
  private readonly changed = new Set<string>()
  private readonly paused = new Set<string>()

  constructor(group: EditedGroup, change: ListChange, random: Random) {
    this.group = group
    this.change = change
    this.random = random
  }

  async run(): Promise<void> {
    const { random, change, group } = this
    for (const name of change.from) this.start(name)
    await group.settled()
    for (const name of this.shuffled(change.to)) {
      for (let left = random.below(3); left > 0; left--) await this.disturb()
      this.changed.add(name)
      await this.restart(name)
      await sleep(200 + random.below(2500))
    }
    for (const name of this.paused) group.resume(name)
    await sleep(2500)
  }

  private async disturb(): Promise<void> {
    const { random, change } = this
    const [name, other] = this.shuffled([...new Set([...change.from, ...this.changed])])
    const which = random.below(6)
    if (which === 0) this.togglePause(name)
    if (which === 1) await this.restart(name)
    if (which === 2) await this.restart(name, true)
    // Two at once, so that a majority of three has forgotten its votes.
    if (which === 3) await Promise.all([this.restart(name, true), this.restart(other, true)])
    if (which === 4) await this.restartSomeWith(this.shuffled(NAMES).slice(2))
    if (which === 5) await this.goBack(name)
    await sleep(200 + random.below(2500))
  }

  /** The member gets the old list again, as by an operator whose change was refused. */
  private async goBack(name: string): Promise<void> {
    if (!this.change.from.includes(name)) return
    this.changed.delete(name)
    await this.restart(name)
  }

  /** Some members get a list that is neither the old nor the new one. */
  private async restartSomeWith(names: readonly string[]): Promise<void> {
    const list = NAMES.filter((name) => name === ANCHOR || names.includes(name))
    for (const name of list.filter(() => this.random.chance(0.5))) {
      await this.stop(name)
      this.group.start(name, list)
    }
  }

  private async restart(name: string, forgets = false): Promise<void> {
    await this.stop(name)
    if (forgets && name !== ANCHOR) this.group.forget(name)
    await sleep(this.random.below(300))
    this.start(name)
  }

  private async stop(name: string): Promise<void> {
    this.paused.delete(name)
    await this.group.kill(name)
  }

  private start(name: string): void {
    const { from, to, at } = this.change
    if (this.changed.has(name)) this.group.start(name, to, at)
    else this.group.start(name, from)
  }

  private shuffled(names: readonly string[]): string[] {
    return this.random.permutation(names.length).map((i) => names[i - 1])
  }

  private togglePause(name: string): void {
    if (this.paused.delete(name)) return this.group.resume(name)
    this.paused.add(name)
    this.group.pause(name)
  }
}

/** Runs sequences by seed, some at once, and each change equally often. */
export async function listTrial(
  times: number,
  firstSeed: number,
  progress: (text: string) => void,
) {
  const names = Object.keys(LIST_CHANGES)
  const violations: string[] = []
  const sequences = Object.fromEntries(names.map((name) => [name, 0]))
  let terms = 0
  let next = firstSeed
  let done = 0
  const worker = async (): Promise<void> => {
    while (next < firstSeed + times) {
      const seed = next++
      const name = names[seed % names.length]
      await using group = await EditedGroup.of(NAMES)
      await new Sequence(group, LIST_CHANGES[name], new Random(seed)).run()
      violations.push(...group.violations.map((one) => `seed ${seed}, ${name}: ${one}`))
      terms += group.terms
      sequences[name] += 1
      done += 1
      if (done % 10 === 0)
        progress(`${done} sequences, ${terms} terms, ${violations.length} violations`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return {
    trial: 'lists',
    found: violations.length,
    allowed: 0,
    times,
    sequences,
    terms,
    violations,
  }
}
