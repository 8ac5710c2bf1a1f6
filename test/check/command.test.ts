/** Tests `bellwether check` as a user runs it: real processes, the built package. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const bin = fileURLToPath(new URL('../../bin/bellwether.js', import.meta.url))

function bellwether(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    encoding: 'utf8',
  })
  return { code: status, out: stdout, err: stderr }
}

const LARGE = ['check', 'bully-fd', '--nodes', '4', '--crashes', '3', '--recoveries', '3']

describe('bellwether check', () => {
  it('exits with 0 if every promise holds', () => {
    const { code, out } = bellwether('check', 'bully-fd', '--nodes', '3', '--crashes', '2')
    expect(out).toMatch(/^Ok: bully-fd, 3 members, 2 crashes/u)
    expect(code).toBe(0)
  })

  it('checks groups whose members change, three voters and a seat, to the end', () => {
    const seat = ['--nodes', '4', '--voters', '1,2,3', '--changes', '1', '--crashes', '0']
    const { code, out } = bellwether('check', 'bully-fd-quorum', ...seat)
    expect(out).toMatch(/^Ok: bully-fd-quorum, 4 members/u)
    expect(out).toContain('✓ sometimes a leader changes the configuration')
    expect(code).toBe(0)
  })

  it('exits with 1 and prints a trace if a promise is broken', () => {
    const { code, out } = bellwether('check', 'bully-as-printed', '--nodes', '3', '--drops', '1')
    expect(out).toMatch(/^Broken: the strongest leads\./u)
    expect(out).toContain('bellwether trace 1')
    expect(code).toBe(1)
  })

  it.each([
    ['--max-states', '5000', 'The budget of states was spent before the check was complete.'],
    ['--memory', '0', 'The memory was spent before the check was complete.'],
  ])('exits with 3 and says incomplete, never ok, when %s %s is spent', (flag, bound, why) => {
    const { code, out } = bellwether(...LARGE, flag, bound)
    expect(out).toMatch(/^Incomplete: /u)
    expect(out).toContain(why)
    expect(out).toContain('? always any two up members that follow a leader follow the same one')
    expect(code).toBe(3)
    const json = bellwether(...LARGE, flag, bound, '--json')
    expect(json.code).toBe(3)
    expect(JSON.parse(json.out)).toMatchObject([
      { ok: false, complete: false, counterexample: null },
    ])
  })

  it('prints what is known so far on Ctrl-C, and exits with 3', async () => {
    // Reports when the process has installed its signal handler.
    const tell = `process.on('newListener', (name) => name === 'SIGINT' && process.stderr.write('.'))`
    const child = spawn(process.execPath, [
      '--import',
      `data:text/javascript,${tell}`,
      bin,
      ...LARGE,
    ])
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr.once('data', () => child.kill('SIGINT'))
    const [code] = (await once(child, 'close')) as [number | null]
    expect(out).toContain('Interrupted; this is what is known so far.')
    expect(out).toMatch(/^[\d,]+ states, [\d,]+ transitions/mu)
    expect(code).toBe(3)
  })

  it('refuses an unknown or unsuitable argument in one line', () => {
    for (const given of [
      ['unknown'],
      ['bully', '--single', 'Sleeping'],
      ['bully', '--judge', 'x'],
      ['bully', '--resignations', '1'],
      ['bully-fd-quorum', '--resignations', '8'],
      ['bully', '--clocks'],
      ['bully', '--changes', '1'],
      ['bully-fd-quorum', '--cuts', '8'],
    ]) {
      const { code, err } = bellwether('check', ...given)
      expect(code).toBe(2)
      expect(err.trim().split('\n')).toHaveLength(1)
    }
  })
})
