/** Parses, reads and changes the settings of a run: one setting, the algorithm or the number of members, without settings that no longer apply. */
import { declarationOf, isFaultKind } from '../../../src/sim/faults/fault-catalogue.ts'
import type { AlgorithmInfo, Settings } from '../simulation/worker-protocol.ts'

/** Reads `bully nodes=5 seed=1`: an algorithm, then settings. */
export function settingsFrom(text: string): Settings {
  const [algorithm, ...pairs] = text.split(' ')
  const more = pairs.map((pair): [string, string] => {
    const sign = pair.indexOf('=')
    return [pair.slice(0, sign), pair.slice(sign + 1)]
  })
  return [['algorithm', algorithm], ...more]
}

export function valueOf(settings: Settings, key: string): string | undefined {
  return settings.find(([name]) => name === key)?.[1]
}

/** Sets one setting; an empty value removes it. */
export function withSetting(settings: Settings, key: string, value: string): Settings {
  const place = settings.findIndex(([name]) => name === key)
  if (value === '') return settings.filter(([name]) => name !== key)
  if (place < 0) {
    // Faults come last.
    const first = settings.findIndex(([name]) => isFaultKind(name))
    return settings.toSpliced(first < 0 ? settings.length : first, 0, [key, value])
  }
  return settings.with(place, [key, value])
}

/** The same run under another algorithm, without the settings that it does not support. */
export function withAlgorithm(settings: Settings, to: AlgorithmInfo): Settings {
  const fits = settings.filter(([key]) => {
    if (key === 'ring') return to.topology === 'ring'
    if (key === 'resign') return to.resigns
    if (key === 'voters' || key === 'observers') return to.changes
    if (isFaultKind(key) && declarationOf(key).changesGroup) return to.changes
    return key !== 'option'
  })
  return withSetting(fits, 'algorithm', to.name)
}

/** The same run with one more member, which is outside of the group that was there. */
export function withSeat(settings: Settings, voters: readonly number[], label: number): Settings {
  const all = withSetting(settings, 'nodes', String(label))
  return valueOf(all, 'voters') === undefined ? withSetting(all, 'voters', voters.join(',')) : all
}

/** The same run with another number of members, without the faults of members that no longer exist. */
export function withMembers(settings: Settings, nodes: number): Settings {
  const lists = new Set(['down', 'known-down', 'initiator', 'voters', 'observers', 'witnesses'])
  const fits = settings.filter(([key, value]) => {
    if (key === 'ring') return false
    if (!isFaultKind(key) && !lists.has(key)) return true
    const what = isFaultKind(key) ? value.slice(0, value.lastIndexOf('@')) : value
    const members = what.replace(/\+.*$|#\d+/gu, '').match(/\d+/gu) ?? []
    return members.every((label) => Number(label) <= nodes)
  })
  return withSetting(fits, 'nodes', String(nodes))
}
