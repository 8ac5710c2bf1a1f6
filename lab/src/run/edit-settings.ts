/** Small changes to the settings of a run, so that what no longer fits goes with what it fitted. */
import { isFaultKind } from '../../../src/sim/faults/fault-catalogue.ts'
import type { AlgorithmInfo, Settings } from '../simulation/worker-protocol.ts'

export function valueOf(settings: Settings, key: string): string | undefined {
  return settings.find(([name]) => name === key)?.[1]
}

/** An empty value takes the setting out. */
export function withSetting(settings: Settings, key: string, value: string): Settings {
  const place = settings.findIndex(([name]) => name === key)
  if (value === '') return settings.filter(([name]) => name !== key)
  if (place < 0) {
    // Settings of the run come before its faults.
    const first = settings.findIndex(([name]) => isFaultKind(name))
    return settings.toSpliced(first < 0 ? settings.length : first, 0, [key, value])
  }
  return settings.with(place, [key, value])
}

/** The same script under another algorithm, without what that has no words for. */
export function withAlgorithm(settings: Settings, to: AlgorithmInfo): Settings {
  const fits = settings.filter(([key]) => {
    if (key === 'ring') return to.topology === 'ring'
    if (key === 'resign') return to.resigns
    return key !== 'option'
  })
  return withSetting(fits, 'algorithm', to.name)
}

/** With fewer members, faults of those who are gone go too. */
export function withMembers(settings: Settings, nodes: number): Settings {
  const lists = new Set(['down', 'known-down', 'initiator'])
  const fits = settings.filter(([key, value]) => {
    if (key === 'ring') return false
    if (!isFaultKind(key) && !lists.has(key)) return true
    const what = isFaultKind(key) ? value.slice(0, value.lastIndexOf('@')) : value
    const members = what.replace(/\+.*$|#\d+/gu, '').match(/\d+/gu) ?? []
    return members.every((label) => Number(label) <= nodes)
  })
  return withSetting(fits, 'nodes', String(nodes))
}
