import { expect, test } from 'vitest'
import { Group } from '../../core/group.ts'
import { StartupWait } from './startup-wait.ts'

const timing = { messageMs: 100, processingMs: 1, detectionMs: 1000, watchMs: 1000, periodMs: 300 }
const group = new Group(5, timing)

test('all are there: it begins at once; one that has lived before, when it may speak', () => {
  expect(new StartupWait(group, 50, false, true).startsAt(60, 5)).toBe(50)
  expect(new StartupWait(group, 50, true, true).startsAt(60, 5)).toBe(150)
})

test('a majority is there: it begins a message time later, whoever else comes', () => {
  const gathering = new StartupWait(group, 0, false, true)
  expect(gathering.startsAt(10, 2)).toBe(1000)
  expect(gathering.startsAt(200, 3)).toBe(300)
  expect(gathering.startsAt(250, 4)).toBe(300)
  expect(gathering.startsAt(260, 5)).toBe(0)
})

test('a majority never comes: it begins after the detection time', () => {
  expect(new StartupWait(group, 7, false, true).startsAt(900, 2)).toBe(1007)
})

test('on a ring, where only neighbours meet, it waits for nobody', () => {
  expect(new StartupWait(group, 7, false, false).startsAt(7, 1)).toBe(7)
})
