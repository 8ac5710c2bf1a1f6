/** A program as a link, and the program of a link. */
import { queryOf } from '../../../src/sim/settings/settings-link.ts'
import { pack, settingsOf, unpack } from '../run/run-link.ts'
import type { Settings } from '../simulation/worker-protocol.ts'

/** The address of the page with a program and its run. */
export async function programLink(text: string, settings: Settings): Promise<string> {
  const run = settings.filter(([key]) => key !== 'algorithm')
  return `#/write?${queryOf([...run, ['code', await pack(text)]])}`
}

export interface LinkedProgram {
  readonly text: string
  readonly settings: Settings
}

/** null: the link names no program. Throws if it is damaged. */
export async function linkedProgram(query: URLSearchParams): Promise<LinkedProgram | null> {
  const code = query.get('code')
  if (code === null) return null
  const settings = settingsOf(query).filter(([key]) => key !== 'code')
  return { text: await unpack(code), settings: [['algorithm', ''], ...settings] }
}
