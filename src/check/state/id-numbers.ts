/** Maps ids to numbers 1, 2, … in the order in which they first occur, and back; 0, which is no id, stays 0. */
import { LayoutOverflow } from '../../core/packed-layout.ts'

const MAX_IDS = 2 ** 14

export class IdNumbers {
  private readonly ids: number[] = [0]
  private readonly numbers = new Map<number, number>([[0, 0]])

  idOf(number: number): number {
    return this.ids[number]
  }

  numberOf(id: number): number {
    const known = this.numbers.get(id)
    if (known !== undefined) return known
    if (this.ids.length === MAX_IDS)
      throw new LayoutOverflow('too many ids to keep them as they are')
    this.numbers.set(id, this.ids.length)
    return this.ids.push(id) - 1
  }
}
