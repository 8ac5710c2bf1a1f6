/** The files of examples/deploy: every option is one of the command, members accept the options, systemd accepts the unit. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { JOIN_OPTIONS } from '../src/runtime/options/option-table.ts'
import { verbs } from './docs/commands.ts'

const FOLDER = new URL('../examples/deploy/', import.meta.url)
const read = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8')

/** The flags of the member in a text, with what follows `=`. */
function flagsIn(text: string): (readonly [flag: string, value: string])[] {
  return [...text.matchAll(/(--[a-z][a-z-]*)(?:=([^\s',]*))?/gu)].map(([, flag, value = '']) => [
    flag,
    value,
  ])
}

test.each([
  ['compose.yaml', read('compose.yaml').replaceAll(/^\s*#.*$/gmu, '')],
  ['deployment.yaml', read('deployment.yaml').replaceAll(/^\s*#.*$/gmu, '')],
  ['statefulset.yaml', read('statefulset.yaml').replaceAll(/^\s*#.*$/gmu, '')],
  ['bellwether@.service', /^ExecStart=(.*)$/mu.exec(read('bellwether@.service'))![1]],
])('%s has flags of `run` only, and lists of members that are accepted', async (_name, text) => {
  const known = (await verbs()).get('run')!
  const flags = flagsIn(text)
  expect(flags.length).toBeGreaterThan(0)
  expect(flags.map(([flag]) => flag).filter((flag) => !known.has(flag))).toEqual([])
  for (const [, list] of flags.filter(([flag]) => flag === '--members')) {
    const names = JOIN_OPTIONS.members.check(list, 'members').map(({ name }) => name)
    expect(names).toEqual(['jobs-0', 'jobs-1', 'jobs-2'])
  }
})

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
if (!hasSystemd) process.stderr.write('no check of the unit: there is no systemd-analyze\n')

function verify(unit: string): string {
  return spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' }).stderr
}

test.skipIf(!hasSystemd)('systemd accepts the unit, with programs that exist here', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bellwether-unit-'))
  try {
    const unit = join(folder, 'bellwether@a.service')
    const text = read('bellwether@.service').replace(
      /^ExecStart=\S+/mu,
      `ExecStart=${process.execPath}`,
    )
    writeFileSync(unit, text.replace(/^WorkingDirectory=.*/mu, `WorkingDirectory=${folder}`))
    expect(verify(unit)).toBe('')
    writeFileSync(unit, text.replace('KillMode=mixed', 'KillMode=gently'))
    expect(verify(unit)).toContain('kill mode')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
