/** What helps at a prompt: completion of the shell, and the page of the manual. */
import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { manPage } from '../scripts/tables/man-page.ts'
import { VERBS } from '../src/cli/verbs.ts'

const bin = fileURLToPath(new URL('../bin/bellwether.js', import.meta.url))

function script(shell: string): string {
  return execFileSync(process.execPath, [bin, 'completion', shell], { encoding: 'utf8' })
}

/** What bash offers for the last of the words. */
function offered(...words: string[]): string[] {
  const quoted = words.map((word) => `'${word}'`).join(' ')
  const ask = `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _bellwether; printf '%s\\n' "\${COMPREPLY[@]}"`
  const out = execFileSync('bash', ['-c', `${script('bash')}\n${ask}`], { encoding: 'utf8' })
  return out.trim().split('\n')
}

describe('completion', () => {
  test('in bash offers verbs, the flags of a verb, and the words of a flag', () => {
    expect(offered('bellwether', 's')).toEqual(['status', 'step-down', 'simulate'])
    expect(offered('bellwether', 'step-down', '--rea')).toEqual(['--reason'])
    expect(offered('bellwether', 'run', '--safety', '')).toEqual(['quorum', 'advisory'])
    expect(offered('bellwether', 'nonsense', '--')).toEqual([''])
  })

  test('in fish has a line for each verb', () => {
    const lines = script('fish').split('\n')
    for (const verb of Object.keys(VERBS))
      expect(lines.some((line) => line.includes(` -a ${verb} -d '`))).toBe(true)
  })

  test('of another shell is refused with the shells that there are', () => {
    const args = [bin, 'completion', 'tcsh']
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect([status, stderr]).toEqual([2, expect.stringContaining('bash, zsh, fish')])
  })
})

test('the page of the manual has each verb with its flags', async () => {
  const page = await manPage()
  for (const verb of Object.keys(VERBS))
    expect(page).toContain(`.SS bellwether ${verb.replaceAll('-', String.raw`\-`)} `)
  expect(page).toContain(String.raw`.B \-\-members <list>`)
  expect(page).not.toMatch(/^['.](?!\\"|TH|SH|SS|TP|B |I )/mu)
})
