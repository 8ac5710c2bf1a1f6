/** One trial of `npm run endure -- lists`: random restarts with edited lists and lost state, kills and pauses; counts terms that were valid at once or fell. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Random } from '../../../src/core/random.ts'
import { EditedGroup } from '../../support/edited-group.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e']
const AT_ONCE = 3
/** It keeps its state and is in every list: members that all are without state rightly found a group of their own. */
const ANCHOR = 'a'

/** What happens to the group in a sequence: some members are killed, lose their state, get another list, or pause. */
class Sequence {
  private readonly random: Random
  private readonly group: EditedGroup
  private readonly size: number
  private readonly paused = new Set<string>()

  constructor(group: EditedGroup, random: Random) {
    this.group = group
    this.random = random
    this.size = 3 + 2 * random.below(2)
  }

  async run(): Promise<void> {
    const first = NAMES.slice(0, this.size)
    for (const name of first) this.group.start(name, first)
    await this.group.settled()
    for (let left = 4 + this.random.below(5); left > 0; left--) {
      await this.step(first)
      await sleep(50 + this.random.below(1500))
    }
    for (const name of this.paused) this.group.resume(name)
    await sleep(2500)
  }

  private async step(first: readonly string[]): Promise<void> {
    const { random, group } = this
    const name = this.some(first)
    const which = random.below(6)
    if (which === 0) return this.togglePause(name)
    if (which === 1) return this.restart([name], first, false)
    if (which === 2) return this.restart([name], first, true)
    if (which === 3) return this.restart([name, this.some(first)], first, true)
    // A list in which some members are replaced, added or left out.
    const list = NAMES.filter((one) => one === ANCHOR || one === name || random.chance(0.6))
    const all = which === 4 ? list : list.filter(() => random.chance(0.5))
    for (const one of all) {
      this.paused.delete(one)
      await group.kill(one)
      group.start(one, list)
    }
  }

  private async restart(names: string[], list: readonly string[], forgets: boolean): Promise<void> {
    for (const name of new Set(names)) {
      this.paused.delete(name)
      await this.group.kill(name)
      if (forgets && name !== ANCHOR) this.group.forget(name)
      await sleep(this.random.below(300))
      this.group.start(name, list)
    }
  }

  private togglePause(name: string): void {
    if (this.paused.delete(name)) return this.group.resume(name)
    this.paused.add(name)
    this.group.pause(name)
  }

  private some(names: readonly string[]): string {
    return names[this.random.below(names.length)]
  }
}

/** Runs sequences by seed, some at once. */
export async function listTrial(times: number, progress: (text: string) => void) {
  const violations: string[] = []
  let next = 1
  let done = 0
  const worker = async (): Promise<void> => {
    while (next <= times) {
      const seed = next++
      await using group = await EditedGroup.of(NAMES)
      await new Sequence(group, new Random(seed)).run()
      violations.push(...group.violations.map((violation) => `seed ${seed}: ${violation}`))
      done += 1
      if (done % 10 === 0) progress(`${done} sequences, ${violations.length} violations`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return { trial: 'lists', found: violations.length, allowed: 0, times, violations }
}
