/** What finds room in a terminal. */
import { expect, test } from 'vitest'
import { firstShown, roomFor } from './view-room.ts'

test('in a terminal that is high enough there is room for all members and eight events', () => {
  expect(roomFor(5, 40)).toEqual({ members: 5, events: 8 })
})

test('in a lower one events make room first, then members: never more than fits', () => {
  for (let members = 1; members <= 50; members++) {
    for (let height = 1; height <= 70; height++) {
      const room = roomFor(members, height)
      expect(room.members + room.events).toBeLessThanOrEqual(Math.max(height, 1))
      expect(room.events === 0 || room.members === members).toBe(true)
    }
  }
})

test('the selected member is always among those that are shown', () => {
  for (let selected = 0; selected < 50; selected++) {
    const first = firstShown(50, 7, selected)
    expect(first).toBeGreaterThanOrEqual(0)
    expect(first).toBeLessThanOrEqual(43)
    expect(selected >= first && selected < first + 7).toBe(true)
  }
})
