/** The commands of the runtime as an operator uses them: the built package, real processes. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { freePorts } from '../../src/testing/local-cluster.ts'
import type { EventRecord } from '../../src/index.ts'
import { FileStore } from '../../src/stores/file.ts'
import { isAlive, isGroupAlive } from '../../scripts/support/linux-processes.ts'
import { program } from '../../scripts/support/test-cluster.ts'
import { until } from '../../src/testing/wait.ts'

interface Running {
  readonly child: ChildProcess
  out: string
  err: string
  code: number | null | undefined
}

const running: Running[] = []
const folders: string[] = []
afterEach(async () => {
  for (const { child, code } of running) if (code === undefined) end(child)
  await until(() => running.every(({ code }) => code !== undefined))
  running.length = 0
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Stopped or not. What it started ends with it: that is what is tested. */
function end(child: ChildProcess): void {
  child.kill('SIGKILL')
  child.stdout!.destroy()
  child.stderr!.destroy()
}

function folder(): string {
  folders.push(mkdtempSync(join(tmpdir(), 'bellwether-operate-')))
  return folders.at(-1)!
}

function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Running {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  const one: Running = { child, out: '', err: '', code: undefined }
  child.stdout.on('data', (chunk) => (one.out += String(chunk)))
  child.stderr.on('data', (chunk) => (one.err += String(chunk)))
  child.on('exit', (code) => (one.code = code))
  running.push(one)
  return one
}

function entriesOf({ out }: Running): EventRecord[] {
  const whole = out.slice(0, out.lastIndexOf('\n') + 1)
  return whole
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as EventRecord)
}

function call(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    timeout: 30_000,
  })
  return { code: status, out: stdout, err: stderr }
}

async function alone(): Promise<string[]> {
  const [port] = await freePorts(1)
  return ['--id', 'a', '--members', `a=127.0.0.1:${port}`, '--state', folder()]
}

describe('up', () => {
  test('elects, survives kill -9 of the leader, restarts it, and leaves nothing behind', async () => {
    const temporary = folder()
    const up = start(['up', '-n', '5', '--json'], { TMPDIR: temporary })
    const believed = (name: string): string | null | undefined =>
      entriesOf(up).findLast(({ node, event }) => node === name && event === 'leader')?.leader
    const agreed = (names: readonly string[], not?: string) => (): string | undefined => {
      const [first] = names.map(believed)
      if (first === undefined || first === null || first === not) return undefined
      return names.every((name) => believed(name) === first) ? first : undefined
    }
    const all = ['a', 'b', 'c', 'd', 'e']
    const leader = await until(agreed(all), 'a leader')
    const elected = entriesOf(up).find(({ event }) => event === 'elected')!
    expect(elected).toMatchObject({ node: leader, leader, reason: null })
    expect(elected.at).toMatch(/^\d+$/u)
    expect(Object.keys(elected)).toEqual(
      expect.arrayContaining(['at', 'node', 'pid', 'event', 'leader', 'term', 'reason']),
    )
    process.kill(elected.pid, 'SIGKILL')
    const rest = all.filter((name) => name !== leader)
    await until(agreed(rest, leader), 'a new leader')
    expect(entriesOf(up).find(({ event }) => event === 'exited')).toMatchObject({
      node: leader,
      pid: elected.pid,
      reason: 'SIGKILL',
    })
    await until(
      () => entriesOf(up).filter(({ node, event }) => node === leader && event === 'started')[1],
      'the killed one to start again',
    )
    await until(agreed(all), 'everybody to agree')
    const pids = new Set(entriesOf(up).map(({ pid }) => pid))
    up.child.kill('SIGINT')
    await until(() => up.code !== undefined, 'up to end')
    expect(up.code).toBe(0)
    expect([...pids].filter(isAlive)).toEqual([])
    expect(readdirSync(temporary)).toEqual([])
  })

  test.each([
    [['--safety', 'sure'], 'Allowed choices are quorum, advisory'],
    [['--detector', 'oracle'], 'detector: there is no "oracle"'],
    [['--algorithm', 'bully'], 'algorithm: bully cannot give safety quorum'],
    [['--lease', '1ms'], 'timing.lease: '],
    [['--detection', 'soon'], 'timing.detection: '],
  ])('%j is refused at once: no member is started again and again', (flags, words) => {
    const { code, err } = call('up', '--json', ...flags)
    expect(code).toBe(2)
    expect(err).toContain(words)
  })

  test('members end when up itself is killed with -9', async () => {
    const up = start(['up', '-n', '3', '--json'], { TMPDIR: folder() })
    await until(() => entriesOf(up).some(({ event }) => event === 'elected'))
    await until(() => entriesOf(up).filter(({ event }) => event === 'started').length === 3)
    const pids = [...new Set(entriesOf(up).map(({ pid }) => pid))]
    up.child.kill('SIGKILL')
    await until(() => pids.every((pid) => !isAlive(pid)), 'the members to end')
    expect(pids).toHaveLength(3)
  })

  test.each([
    [['-n', '0'], '1 to 50'],
    [['-n', 'x'], '1 to 50'],
  ])('%j: exit 2', (args, words) => {
    const { code, err } = call('up', ...args)
    expect(code).toBe(2)
    expect(err).toContain(words)
  })
})

describe('node', () => {
  test('shows itself over HTTP, and status and step-down find it by its state folder', async () => {
    const flags = await alone()
    const state = flags[5]
    const node = start(['node', ...flags, '--json', '--http', '127.0.0.1:0'])
    await until(() => entriesOf(node).some(({ event }) => event === 'elected'))
    const { code, out } = call('status', '--state', state, '--json')
    expect(code).toBe(0)
    const [status] = JSON.parse(out) as Record<string, unknown>[]
    expect(status).toMatchObject({
      id: 'a',
      pid: node.child.pid,
      status: 'Norm',
      leader: 'a',
      safety: 'quorum',
      algorithm: 'bully-fd-quorum',
      detector: 'link',
      peers: [],
    })
    expect(status['fence']).toBe(status['term'])
    const fields =
      'id pid status leader term termText fence since safety leaseMs timing trustRefusals engine algorithm detector waitsFor peers loopLagMs slowestWriteMs'
    expect(Object.keys(status)).toEqual(fields.split(' '))
    expect(call('status', '--state', state).out).toContain('quorum')
    const unfit = call('step-down', '--state', state, '--to', 'b')
    expect(unfit).toMatchObject({ code: 1 })
    expect(unfit.err).toContain('not a member')
    const asked = call('step-down', '--state', state, '--reason', 'deploy')
    expect(asked).toMatchObject({ code: 0, out: 'handed over\n' })
    const lost = await until(() => entriesOf(node).find(({ event }) => event === 'lost'))
    expect(lost).toMatchObject({ reason: 'stepped-down', detail: 'deploy' })
    node.child.kill('SIGTERM')
    await until(() => node.code !== undefined)
    expect(node.code).toBe(0)
    expect(call('status', '--state', state)).toMatchObject({ code: 1 })
  })

  test('at the first start of a group it says for whom it waits, and so does status', async () => {
    const [a, b, c] = (await freePorts(3)).map((port) => `127.0.0.1:${port}`)
    const [state, members] = [folder(), `a=${a},b=${b},c=${c}`]
    const unserved = ['--members', members, '--state', state]
    const flags = [...unserved, '--http', '127.0.0.1:0']
    const nodes = ['a', 'b'].map((id) => start(['node', '--id', id, ...flags]))
    const text = 'a group that has never run is founded when all of its members are up'
    for (const node of nodes) await until(() => node.out.includes(`; waits for c: ${text}`))
    await until(() => call('status', '--state', state).err.includes(`b waits for c: ${text}`))
    expect(call('status', '--state', state).out).toContain('New')
    const last = start(['node', '--id', 'c', ...unserved])
    await until(() => last.out.includes('leads') || last.out.includes('follows'))
    // It serves no HTTP: what is found on this machine lacks it.
    await until(() => !call('status', '--state', state).err.includes('waits for'))
    expect(call('status', '--state', state).err).toMatch(
      /^not shown: c \(elsewhere, or without --http\): --members or --peer with --group asks all members\n$/u,
    )
    expect(call('status', '--members', members).err).toBe('')
    const removal = call('members', 'remove', 'x', '--members', members)
    expect(removal.err).toMatch(/x is not a member; the members are a, b, c \(rule: unknown\)\n$/u)
  })

  test('a word that is no command of members is named, with the closest command', () => {
    const { code, err } = call('members', 'ad', 'd=127.0.0.1:1')
    expect([code, err]).toEqual([
      2,
      'bellwether: members has no command ad (did you mean add?); there are list, add, remove, promote, replace, change\n',
    ])
    expect(call('members', 'frob').err).toContain('members has no command frob; there are list,')
  })

  test('step-down passes over members that were killed, and asks which group is meant', async () => {
    const state = folder()
    const flags = async (id: string, group: string): Promise<string[]> => {
      const [port] = await freePorts(1)
      const member = ['--id', id, '--members', `${id}=127.0.0.1:${port}`, '--state', state]
      return [
        ...member,
        '--group',
        group,
        '--http',
        '127.0.0.1:0',
        '--json',
        '--detection',
        '300ms',
      ]
    }
    const nodes = [
      start(['node', ...(await flags('z', 'g.1'))]),
      start(['node', ...(await flags('b', 'g'))]),
    ]
    for (const node of nodes) {
      await until(() => entriesOf(node).some(({ event }) => event === 'elected'))
    }
    const dead = { http: '127.0.0.1:1', token: 'x', pid: 1 }
    writeFileSync(join(state, 'g.a.contact'), JSON.stringify(dead))
    const which = call('step-down', '--state', state)
    expect(which).toMatchObject({ code: 2 })
    expect(which.err).toContain(
      'members of several groups run there: choose one of g.1, g with --group',
    )
    expect(call('status', '--state', state).out).toMatch(/^group +member[^]*g\.1 +z +/u)
    expect(call('step-down', '--state', state, '--group', 'g')).toMatchObject({ code: 0 })
    expect(entriesOf(nodes[0]).some(({ event }) => event === 'lost')).toBe(false)
    expect(call('status', '--state', state, '--id', 'z').out).toContain('z')
    writeFileSync(join(state, 'g.a.contact'), 'torn')
    for (const verb of ['status', 'step-down']) {
      const { code, err } = call(verb, '--state', state, '--group', 'g')
      expect([code, err]).toEqual([
        2,
        `bellwether: ${join(state, 'g.a.contact')}: is damaged: delete it, and start its member again\n`,
      ])
    }
    expect(call('status', '--state', state, '--group', 'h').err).toContain('no member of h')
    expect(call('status', '--http', 'a b').err).toContain('give host:port')
  })

  test('the reader of its output closes the pipe: it resigns and leaves', async () => {
    const flags = await alone()
    const node = start(['node', ...flags, '--json', '--http', '127.0.0.1:0'])
    await until(() => entriesOf(node).some(({ event }) => event === 'elected'))
    node.child.stdout!.destroy()
    expect(call('step-down', '--state', flags[5])).toMatchObject({ code: 0 })
    await until(() => node.code !== undefined)
    expect([node.code, node.err]).toEqual([0, ''])
    expect(existsSync(join(flags[5], 'default.a.state.lock'))).toBe(false)
  })

  test('what it prints cannot be written, as on a full disk: it leads all the same', async () => {
    const flags = await alone()
    const command = `exec "$@" > /dev/full`
    const words = [program, 'node', ...flags, '--json', '--http', '127.0.0.1:0']
    const child = spawn('sh', ['-c', command, 'sh', process.execPath, ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const one: Running = { child, out: '', err: '', code: undefined }
    child.stderr.on('data', (chunk) => (one.err += String(chunk)))
    child.on('exit', (code) => (one.code = code))
    running.push(one)
    await until(() => existsSync(join(flags[5], 'default.a.contact')))
    await until(() => call('status', '--state', flags[5], '--json').out.includes('"leader":"a"'))
    expect([one.code, one.err]).toEqual([undefined, ''])
  })

  test('tells liveness, readiness, leadership, metrics and events apart, and refuses the rest', async () => {
    const flags = await alone()
    const node = start(['node', ...flags, '--json', '--http', '127.0.0.1:0'])
    await until(() => entriesOf(node).some(({ event }) => event === 'elected'))
    const file = join(flags[5], 'default.a.contact')
    const { http } = JSON.parse(readFileSync(file, 'utf8')) as { http: string }
    expect(await fetched(http, '/healthz')).toMatchObject({ code: 200 })
    expect(await fetched(http, '/readyz')).toMatchObject({ code: 200 })
    expect(await fetched(http, '/leader')).toMatchObject({ code: 200 })
    expect((await fetched(http, '/metrics')).text).toMatch(/bellwether_is_leader\{.*\} 1\n/u)
    expect(await fetched(http, '/nothing')).toMatchObject({ code: 404 })
    expect(await fetched(http, '/status', { host: 'evil.example' })).toMatchObject({ code: 403 })
    expect(await fetched(http, '/readyz', { host: '10.0.0.7:9400' })).toMatchObject({ code: 200 })
    const post = await fetch(`http://${http}/step-down`, { method: 'POST', body: '{}' })
    expect(post.status).toBe(401)
    expect((await fetch(`http://${http}/events`, { method: 'HEAD' })).status).toBe(200)
    const events = await fetch(`http://${http}/events`)
    const reader = (events.body as unknown as ReadableStream<Uint8Array>).getReader()
    const first = new TextDecoder().decode((await reader.read()).value)
    expect(first).toMatch(/^event: status\ndata: \{"id":"a"/u)
    await reader.cancel()
  })

  test('takes its options from a file, and flags override the file', async () => {
    const [port] = await freePorts(1)
    const state = folder()
    const config = join(state, 'config.json')
    const given = { group: 'g', id: 'a', members: { a: `127.0.0.1:${port}` }, safety: 'quorum' }
    writeFileSync(config, JSON.stringify({ ...given, state, timing: { detection: '300ms' } }))
    const node = start(['node', '--config', config, '--safety', 'advisory', '--json'])
    const elected = await until(() => entriesOf(node).find(({ event }) => event === 'elected'))
    expect(elected.term).toBe(1) // bully-fd's: the quorum's are multiples of 1024
    expect(existsSync(join(state, 'g.a.state'))).toBe(true)
  })

  test.each([
    [{ leese: '2s' }, 'leese: no such option; possible: group, id'],
    [{ timing: { leese: '2s' } }, 'timing.leese: no such option; possible: period'],
    [{ timing: { lease: true } }, 'timing.lease: must be milliseconds, or a time such as'],
    [{ timing: 5 }, 'timing: must be an object, not 5'],
    [{ members: { a: { adress: 'x:1' } } }, 'members.a.adress: no such option'],
    [{ members: { a: {} } }, 'members.a.address: is missing'],
    [{ members: { a: 5 } }, 'members.a: must be host:port, or { address, priority, lead }, not 5'],
    [{ safety: 'sure' }, 'safety: must be one of quorum, advisory, not "sure"'],
    [{ preemption: { after: '1s', often: 3 } }, 'preemption.often: no such option'],
    [
      { preemption: 'never' },
      'preemption: must be sticky, always or { after, stableFor, maxPerHour }, not "never"',
    ],
    [{ trustRefusals: 'yes' }, 'trustRefusals: must be true or false'],
    [{ tls: { ca: 'x' } }, 'tls.certificate: is missing'],
    [[], 'the file: must be an object'],
  ])('a file with %j is refused, naming file and field', (given, words) => {
    const config = join(folder(), 'config.json')
    writeFileSync(config, JSON.stringify(given))
    const { code, err } = call('node', '--config', config)
    expect(code).toBe(2)
    expect(err).toContain(`bellwether: ${config}: ${words}`)
    expect(err).not.toMatch(/\n\s+at /u)
  })

  test('a port that another process has is refused with a sentence', async () => {
    const flags = await alone()
    const server = createServer().listen(Number(flags[3].split(':')[1]), '127.0.0.1')
    await until(() => server.listening)
    try {
      const { code, err } = call('node', ...flags)
      expect(code).toBe(4)
      expect(err).toContain('another process listens there')
    } finally {
      server.close()
    }
  })

  test('a port for HTTP that another process has is refused with a sentence', async () => {
    const flags = await alone()
    const [port] = await freePorts(1)
    const server = createServer().listen(port, '127.0.0.1')
    await until(() => server.listening)
    try {
      const { code, err } = call('node', ...flags, '--http', `127.0.0.1:${port}`)
      expect(code).toBe(4)
      expect(err).toContain(`cannot show this member at 127.0.0.1:${port}: another process listens`)
      expect(err).not.toMatch(/\n\s+at /u)
    } finally {
      server.close()
    }
  })

  test('a second process of the same member is refused', async () => {
    const flags = await alone()
    const node = start(['node', ...flags, '--json'])
    await until(() => entriesOf(node).some(({ event }) => event === 'elected'))
    const second = call('node', ...flags)
    expect(second.code).toBe(4)
    expect(second.err).toContain('is this member running already?')
  })

  test('a damaged state file is refused with a sentence, and nothing is promised', async () => {
    const flags = await alone()
    writeFileSync(join(flags[5], 'default.a.state'), 'torn')
    const { code, err } = call('node', ...flags)
    expect(code).toBe(2)
    expect(err).toContain('is damaged')
    expect(err).not.toMatch(/\n\s+at /u)
  })

  test('a state file of an earlier version is refused with the name of the file and of the field', async () => {
    const flags = await alone()
    const file = join(flags[5], 'default.a.state')
    const store = new FileStore(file, { cluster: 'default', member: 'a' })
    const state = { term: 1027, promised: 2051, incarn: 3, started: true }
    store.write({ incarnation: 3, state })
    store.close()
    const before = readFileSync(file, 'utf8')
    const { code, err } = call('node', ...flags)
    expect(code).toBe(2)
    expect(err).toContain(
      `bellwether: ${file}: has a field "promised", which bully-fd-quorum has not`,
    )
    expect(err).toContain('stop all members, delete the state file of each')
    expect(err).not.toMatch(/\n\s+at /u)
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  test('another algorithm does not take up the state file: the sentence names both', async () => {
    const flags = await alone()
    const node = start(['node', ...flags, '--json'])
    await until(() => entriesOf(node).some(({ event }) => event === 'elected'))
    node.child.kill('SIGTERM')
    await until(() => node.code !== undefined)
    const { code, err } = call('node', ...flags, '--safety', 'advisory')
    expect(code).toBe(2)
    expect(err).toContain(
      'holds the state of "bully-fd-quorum", which bully-fd, the algorithm of this member, cannot use',
    )
  })

  test.each([
    [[], '--id'],
    [['--id', 'a'], '--members'],
    [['--id', 'z', '--members', 'a=127.0.0.1:1'], 'id: "z" is not among the members'],
    [['--id', 'a', '--members', 'a'], 'NAME=HOST:PORT'],
    [['--id', 'a', '--members', 'a=127.0.0.1:1,a=127.0.0.1:2'], 'twice'],
    [['--id', 'a', '--members', 'a=nowhere'], 'members.a.address'],
    [['--id', 'a', '--members', 'a=127.0.0.1:1', '--lease', '1'], 'timing.lease'],
    [['--id', 'a', '--members', 'a=127.0.0.1:1', '--detector', 'x'], 'detector'],
    [['--id', 'a', '--members', 'a=192.0.2.1:1'], 'can be reached from outside'],
    [
      ['--id', 'x', '--members', 'constructor=127.0.0.1:1'],
      '"x" is not among the members (constructor)',
    ],
    [
      ['--id', 'a', '--members', 'a=127.0.0.1:1', '--http', 'x'],
      'http: must be host:port, such as 10.0.0.1:7400, not "x"',
    ],
    [
      ['--id', 'a', '--members', 'a=127.0.0.1:1', '--http', '127.0.0.1:99999'],
      'http: must be host:port',
    ],
    [['--config', 'no-such-file.json'], 'no such file'],
  ])('%j: exit 2 and one sentence', (args, words) => {
    const { code, err } = call('node', '--state', folder(), ...args)
    expect(code).toBe(2)
    expect(err).toContain(words)
    expect(err).not.toMatch(/\n\s+at /u)
  })
})

test('a member that does not answer is named by status, without a long wait', async () => {
  const state = folder()
  const group = await freePorts(2)
  const flags = ['--members', group.map((port, i) => `${'ab'[i]}=127.0.0.1:${port}`).join(',')]
  const own = [...flags, '--state', state, '--http', '127.0.0.1:0']
  const members = ['a', 'b'].map((id) => start(['node', '--id', id, ...own]))
  const contacts = (): string[] => readdirSync(state).filter((name) => name.endsWith('.contact'))
  await until(() => contacts().length === 2, 'both members')
  members[1].child.kill('SIGSTOP')
  const began = performance.now()
  const { code, out } = call('status', '--state', state)
  expect(performance.now() - began).toBeLessThan(3000)
  expect(out).toMatch(/^b +no answer/mu)
  expect(code).toBe(1)
  expect(call('status', '--state', state, '--json').out).toContain('{"id":"b","unreachable":')
})

test('with too many open files it does not start, and says so in one line', () => {
  const command = 'ulimit -n 22 && exec "$0" "$@"'
  const node = [process.execPath, program, 'node', '--id', 'a', '--members', 'a=127.0.0.1:1']
  const { status, stderr } = spawnSync('sh', ['-c', command, ...node], { encoding: 'utf8' })
  expect(stderr).toMatch(/^bellwether: too many open files \(EMFILE\): raise the limit.*\n$/u)
  expect(status).toBe(1)
})

describe('run', () => {
  test.each([
    ['kill -TERM $$', ': the command has ended by the signal SIGTERM'],
    ['exit 7', ': the command has ended with 7'],
    ['/nonexistent', ': the command has ended with 127'],
  ])(
    'ends with 1 whatever the code of its command, and logs how it ended: %s',
    async (script, how) => {
      const run = start(['run', ...(await alone()), '--', 'sh', '-c', script])
      await until(() => run.code !== undefined, `the end of ${script}`, 20_000)
      expect(run.code).toBe(1)
      expect(run.err).toContain(` a${how}\n`)
    },
  )

  const SCRIPT = 'echo "pid $$ term $BELLWETHER_TERM fence $BELLWETHER_FENCE"; exec sleep 1000'

  async function pidIn(one: Running): Promise<number> {
    return until(() => Number(/pid (\d+)/u.exec(one.out)?.[1] ?? 0) || undefined, 'the command')
  }

  test('runs the command while this member leads, and ends its group at SIGTERM', async () => {
    const flags = await alone()
    const run = start(['run', ...flags, '--', 'sh', '-c', `sleep 1000 & ${SCRIPT}`])
    const pid = await pidIn(run)
    expect(run.out).toMatch(/term (\d+) fence \1/u)
    run.child.kill('SIGTERM')
    await until(() => run.code !== undefined)
    expect(run.code).toBe(0)
    expect(isGroupAlive(pid)).toBe(false)
  })

  test('the command and its whole process group end when the runner is killed with -9', async () => {
    const flags = await alone()
    const run = start(['run', ...flags, '--', 'sh', '-c', `sleep 1000 & ${SCRIPT}`])
    const pid = await pidIn(run)
    run.child.kill('SIGKILL')
    await until(() => !isGroupAlive(pid), 'the group to end')
  })

  test('the command is ended when the runner is stopped for longer than its lease', async () => {
    const flags = [...(await alone()), '--detection', '300ms', '--drain', '100ms']
    const run = start(['run', ...flags, '--', 'sh', '-c', SCRIPT])
    const pid = await pidIn(run)
    await sleep(300)
    run.child.kill('SIGSTOP')
    await until(() => !isGroupAlive(pid), 'the group to end')
    run.child.kill('SIGCONT')
    run.child.kill('SIGTERM')
    await until(() => run.code !== undefined)
  })

  const DRAINS =
    'trap "sleep 0.5; echo drained; exit" TERM; echo "pid $$"; while :; do sleep 0.1; done'

  test('a signal that comes twice at once, as from timeout, does not cut the drain short', async () => {
    const flags = await alone()
    const run = start(['run', ...flags, '--', 'sh', '-c', DRAINS])
    await pidIn(run)
    run.child.kill('SIGTERM')
    await sleep(100)
    run.child.kill('SIGTERM')
    await until(() => run.code !== undefined)
    expect(run.out).toContain('drained')
    expect(run.code).toBe(0)
  })

  test('a second signal ends it without waiting for the drain', async () => {
    const flags = await alone()
    const run = start(['run', ...flags, '--', 'sh', '-c', `trap "" TERM; ${SCRIPT}`])
    const pid = await pidIn(run)
    run.child.kill('SIGTERM')
    await sleep(700)
    run.child.kill('SIGTERM')
    await until(() => run.code !== undefined)
    expect(run.code).toBe(130)
    await until(() => !isGroupAlive(pid))
  })

  test('--again: when the command has ended, another runner has its turn without waiting for the drain', async () => {
    const ports = await freePorts(2)
    const members = `a=127.0.0.1:${ports[0]},b=127.0.0.1:${ports[1]}`
    const flags = [
      '--members',
      members,
      '--state',
      folder(),
      '--detection',
      '300ms',
      '--drain',
      '60s',
    ]
    const runners = ['a', 'b'].map((id) =>
      start(['run', '--id', id, ...flags, '--again', '--', 'sh', '-c', 'echo ran; sleep 0.1']),
    )
    await until(() => runners.every(({ out }) => out.includes('ran')), 'both to have run')
  })

  test('a command that ignores SIGTERM is killed after the drain', async () => {
    const flags = [...(await alone()), '--drain', '200ms']
    const stubborn = `trap '' TERM; echo "pid $$"; while :; do sleep 0.05; done`
    const run = start(['run', ...flags, '--', 'sh', '-c', stubborn])
    const pid = await pidIn(run)
    run.child.kill('SIGTERM')
    await until(() => run.code !== undefined)
    expect(isGroupAlive(pid)).toBe(false)
  })

  test.each([
    ['true', 0],
    ['exit 3', 1],
    ['kill -9 $$', 1],
  ])('`%s` ends run with %i', async (script, code) => {
    const run = start(['run', ...(await alone()), '--', 'sh', '-c', script])
    await until(() => run.code !== undefined, 'run to end')
    expect(run.code).toBe(code)
  })

  test('of three runners one runs the command, and another does when the first is killed', async () => {
    const ports = await freePorts(3)
    const members = ports.map((port, i) => `${'abc'[i]}=127.0.0.1:${port}`).join(',')
    const quick = ['--detection', '600ms', '--trust-refusals', '--members', members]
    const runs = ['a', 'b', 'c'].map((id) => {
      const own = ['run', '--id', id, '--state', folder(), ...quick]
      return start([...own, '--', 'sh', '-c', 'echo "pid $$"; exec sleep 1000'])
    })
    const first = await until(() => runs.find(({ out }) => out.includes('pid')), 'the command')
    await sleep(500)
    expect(runs.filter(({ out }) => out.includes('pid'))).toEqual([first])
    first.child.kill('SIGKILL')
    const second = await until(() => runs.find((one) => one !== first && one.out.includes('pid')))
    const pid = await pidIn(first)
    await until(() => !isGroupAlive(pid))
    for (const one of runs) if (one !== first) one.child.kill('SIGTERM')
    await until(() => runs.every(({ code }) => code !== undefined))
    expect(second.code).toBe(0)
  })
})

describe('doctor', () => {
  test('reports a peer that does not run', async () => {
    const [mine, theirs] = await freePorts(2)
    const members = `a=127.0.0.1:${mine},b=127.0.0.1:${theirs}`
    const flags = ['--id', 'a', '--members', members, '--state', folder(), '--json']
    const { code, out } = call('doctor', ...flags)
    const findings = JSON.parse(out) as Finding[]
    const of = (check: string) => findings.find((finding) => finding.check === check)
    expect(code).toBe(1)
    expect(of('configuration')).toMatchObject({ ok: true })
    expect(of('protection')).toMatchObject({ ok: true })
    expect(of('disk')!.detail).toMatch(/a durable write takes \d/u)
    expect(of('listen')).toMatchObject({ ok: true })
    expect(of('peer b')).toMatchObject({ ok: false })
    expect(of('peer b')!.detail).toContain('no process listens')
  })
})

interface Finding {
  readonly check: string
  readonly ok: boolean
  readonly detail: string
}

/** The checks that failed, without those that a busy machine fails; the exit code must follow from all of them. */
function failedChecks(findings: readonly Finding[], code: number | null | undefined): string[] {
  const failed = findings.filter(({ ok }) => !ok).map(({ check }) => check)
  expect(code).toBe(failed.length > 0 ? 1 : 0)
  return failed.filter((check) => !['disk', 'loop', 'timing'].includes(check))
}

test('doctor before the first start: peers may not run yet, nothing is left behind, and a wrong group is none', async () => {
  const [mine, theirs] = await freePorts(2)
  const members = `a=127.0.0.1:${mine},b=127.0.0.1:${theirs}`
  const [above, home] = [folder(), folder()]
  const state = join(above, 'deep', 'state')
  const examine = (...more: string[]) => {
    const flags = ['--id', 'a', '--members', members, '--state', state, '--json', ...more]
    const { status, stdout } = spawnSync(process.execPath, [program, 'doctor', ...flags], {
      encoding: 'utf8',
      env: { ...process.env, XDG_STATE_HOME: home },
    })
    const findings = JSON.parse(stdout) as Finding[]
    const peer = findings.find(({ check }) => check === 'peer b')!
    return { failed: failedChecks(findings, status), peer }
  }
  expect(examine('--first-start')).toMatchObject({
    failed: [],
    peer: { ok: true, detail: expect.stringMatching(/no process listens there yet$/u) },
  })
  expect([readdirSync(above), readdirSync(home)]).toEqual([[], []])
  const peer = start(['node', '--id', 'b', '--members', members, '--state', folder(), '--json'], {
    XDG_STATE_HOME: home,
  })
  await until(() => entriesOf(peer).some(({ event }) => event === 'started'))
  expect(examine('--first-start')).toMatchObject({ failed: [], peer: { ok: true } })
  expect(examine('--first-start', '--group', 'typo')).toMatchObject({
    failed: ['peer b'],
    peer: { ok: false, detail: expect.stringContaining('of another group or another user') },
  })
  const keys = join(home, 'bellwether')
  expect(readdirSync(keys)).toEqual(['default.key'])
})

test('doctor beside a member that runs, whose group has changed', async () => {
  const ports = await freePorts(2)
  const state = folder()
  const flags = ['--id', 'a', '--members', `a=127.0.0.1:${ports[0]}`, '--state', state]
  const node = start(['node', ...flags, '--json'])
  await until(() => entriesOf(node).some(({ event }) => event === 'elected'))
  const reach = ['--group', 'default', '--peer', `127.0.0.1:${ports[0]}`]
  expect(call('configure', 'timing.detection=1s', ...reach)).toMatchObject({ code: 0 })
  const added = call('members', 'add', `b=127.0.0.1:${ports[1]}`, '--observer', ...reach)
  expect(added).toMatchObject({ code: 0 })
  const listed = call('members', 'list', ...reach).out
  expect(listed).toContain('timing: period 333.333 ms, detection 1000 ms, lease 1333.333 ms')
  const observer = ['--id', 'b', '--join', `127.0.0.1:${ports[0]}`, '--state', folder(), '--json']
  const other = start(['node', ...observer])
  await until(() => entriesOf(other).some(({ event }) => event === 'leader'))
  const { code, out } = call('doctor', ...flags, '--json')
  const findings = JSON.parse(out) as Finding[]
  const of = (check: string) => findings.find((finding) => finding.check === check)
  expect(of('listen')).toMatchObject({
    ok: true,
    detail: expect.stringContaining('this member runs'),
  })
  expect(of('state')).toMatchObject({ ok: true })
  expect(of('peer b')).toMatchObject({ ok: true })
  expect(failedChecks(findings, code)).toEqual([])
})

test('doctor meets a peer that runs: the same options, others, and another key', async () => {
  const [mine, theirs] = await freePorts(2)
  const members = `a=127.0.0.1:${mine},b=127.0.0.1:${theirs}`
  const state = folder()
  const keys = ['one.key', 'other.key'].map((name) => join(state, name))
  for (const key of keys) expect(call('certs', '--shared-key', key).code).toBe(0)
  const flags = ['--members', members, '--state', state, '--json']
  const peer = start(['node', '--id', 'b', ...flags, '--shared-key', keys[0]])
  await until(() => entriesOf(peer).some(({ event }) => event === 'started'))
  const found = (...more: string[]) =>
    (
      JSON.parse(call('doctor', '--id', 'a', ...flags, ...more).out) as {
        readonly check: string
      }[]
    ).find(({ check }) => check === 'peer b')
  const containing = (text: string): unknown => expect.stringContaining(text)
  expect(found('--shared-key', keys[0])).toMatchObject({
    ok: true,
    detail: containing('answers, with the same options'),
  })
  expect(found('--shared-key', keys[0], '--lease', '3s')).toMatchObject({
    ok: false,
    detail: containing('timing.lease is "3000 ms" at a and "2000 ms" at b'),
  })
  expect(found('--shared-key', keys[1])).toMatchObject({ ok: false, detail: containing('key') })
})

test('doctor asks the engine, and says why it does not answer', async () => {
  const [port] = await freePorts(1)
  const flags = [...(await alone()), '--engine', `etcd://127.0.0.1:${port}`, '--json']
  const { code, out } = call('doctor', ...flags)
  const found = (JSON.parse(out) as { check: string }[]).find(({ check }) => check === 'engine')
  expect(found).toMatchObject({ ok: false, detail: expect.stringContaining('ECONNREFUSED') })
  expect(code).toBe(1)
})

test('doctor does not accept a certificate that peers refuse: of another authority', async () => {
  const flags = await alone()
  const [own, other] = [folder(), folder()]
  for (const out of [own, other]) expect(call('certs', 'a', '--out', out).code).toBe(0)
  const pair = ['--certificate', join(own, 'a.pem'), '--key', join(own, 'a.key')]
  const found = (ca: string): unknown =>
    (
      JSON.parse(call('doctor', ...flags, ...pair, '--ca', ca, '--json').out) as { check: string }[]
    ).find(({ check }) => check === 'protection')
  expect(found(join(own, 'authority.pem'))).toMatchObject({ ok: true })
  expect(found(join(other, 'authority.pem'))).toMatchObject({
    ok: false,
    detail: expect.stringContaining('has signed it'),
  })
})

const STATE = { term: 2049, vote: 2049, incarn: 7, started: true, admitted: true }

test('doctor finds a state file that would keep the member from starting', async () => {
  const flags = await alone()
  const state = (): unknown =>
    (JSON.parse(call('doctor', ...flags, '--json').out) as { check: string }[]).find(
      ({ check }) => check === 'state',
    )
  expect(state()).toMatchObject({ ok: true, detail: 'none yet: this member has not run here' })
  const store = new FileStore(join(flags[5], 'default.a.state'), {
    cluster: 'default',
    member: 'a',
  })
  store.write({ incarnation: 7, state: STATE })
  expect(state()).toMatchObject({ ok: false })
  store.close()
  expect(state()).toMatchObject({ ok: true, detail: 'incarnation 7, term 2·a' })
  writeFileSync(join(flags[5], 'default.a.state'), 'torn')
  expect(state()).toMatchObject({ ok: false })
})

test('a group whose terms were driven apart elects again after repair, which a member that runs refuses', async () => {
  const ports = await freePorts(3)
  const members = ['a', 'b', 'c'].map((id, i) => `${id}=127.0.0.1:${ports[i]}`).join(',')
  const state = folder()
  for (const [id, term] of Object.entries({ a: 2 ** 51 + 1, b: 2050 })) {
    const owner = { cluster: 'default', member: id }
    const store = new FileStore(join(state, `default.${id}.state`), owner)
    const fields = { ...STATE, term, vote: term }
    store.write({ incarnation: 1, algorithm: 'bully-fd-quorum', state: fields })
    store.close()
  }
  const flagsOf = (id: string): string[] => ['--id', id, '--members', members, '--state', state]
  const startBoth = (): Running[] =>
    ['a', 'b'].map((id) => start(['node', ...flagsOf(id), '--detection', '300ms', '--json']))
  const elected = (all: Running[]): boolean =>
    all.some((one) => entriesOf(one).some(({ event }) => event === 'elected'))
  const found = JSON.parse(call('doctor', ...flagsOf('a'), '--json').out) as { check: string }[]
  expect(found.find(({ check }) => check === 'state')).toMatchObject({
    ok: false,
    detail: expect.stringContaining('bellwether repair'),
  })
  const before = startBoth()
  await until(() => before.every((one) => entriesOf(one).some(({ event }) => event === 'started')))
  await new Promise((resolve) => {
    setTimeout(resolve, 3000)
  })
  expect(elected(before)).toBe(false)
  const largest = String(2 ** 51 + 1)
  const repair = (...more: string[]) => call('repair', '--state', state, ...more)
  expect(repair().err).toContain('is this member running already?')
  for (const { child } of before) child.kill('SIGTERM')
  await until(() => before.every(({ code }) => code !== undefined))
  expect(repair().out).toBe(`member  vote\na       ${largest}\nb       2050\n`)
  expect(repair('--raise-to', largest).out).toContain(`b       ${largest}  raised`)
  const after = startBoth()
  await until(() => elected(after), 'a leader after the repair', 10_000)
})

test('doctor reports a folder and secrets that are open to others, and the member does not start', async () => {
  const flags = await alone()
  const state = flags[5]
  const engine = join(folder(), 'engine')
  writeFileSync(engine, 'etcd://root:secret@127.0.0.1:1\n', { mode: 0o666 })
  chmodSync(engine, 0o666)
  const given = [...flags, '--engine-file', engine, '--json']
  const found = (check: string) =>
    (JSON.parse(call('doctor', ...given).out) as { check: string; detail: string }[]).find(
      (finding) => finding.check === check,
    )
  expect(found('folder')).toMatchObject({ ok: true })
  expect(found('secret engine')).toMatchObject({
    ok: false,
    detail: expect.stringContaining(`chmod 600 ${engine}`),
  })
  chmodSync(engine, 0o644)
  expect(found('secret engine')).toMatchObject({ ok: true, warning: true })
  expect(call('doctor', ...given.slice(0, -1)).out).toMatch(
    /^WARN secret engine .*others can read it: run "chmod 600 /mu,
  )
  chmodSync(engine, 0o600)
  chmodSync(state, 0o755)
  expect(found('secret engine')).toMatchObject({ ok: true })
  const refused = { ok: false, detail: expect.stringContaining(`chmod 700 ${state}`) }
  expect(found('folder')).toMatchObject(refused)
  expect(call('node', ...flags)).toMatchObject({ code: 2, err: expect.stringContaining('chmod') })
  const link = join(folder(), 'link')
  symlinkSync(state, link)
  const linked = [...flags.slice(0, 5), link]
  expect(call('node', ...linked).err).toContain('is a symbolic link')
})

test('no password of an engine stands on a command line', async () => {
  const flags = await alone()
  const url = 'postgres://user:secret@127.0.0.1:1/db'
  for (const verb of [
    ['node', ...flags],
    ['engine', 'show'],
  ]) {
    const { code, err } = call(...verb, '--engine', url)
    expect(code).toBe(2)
    expect(err).toContain('--engine-file')
    expect(err).not.toContain('secret')
  }
  const file = join(folder(), 'engine')
  writeFileSync(file, `${url}\n`, { mode: 0o600 })
  const refusal = { code: 4, err: expect.stringContaining('ECONNREFUSED 127.0.0.1:1') }
  expect(call('engine', 'show', '--engine-file', file)).toMatchObject(refusal)
  const { status } = spawnSync(process.execPath, [program, 'engine', 'show'], {
    env: { ...process.env, BELLWETHER_ENGINE: url },
  })
  expect(status).toBe(4)
})

test('doctor finds plaintext that others could read', () => {
  const members = 'a=127.0.0.1:1,b=192.0.2.7:1'
  const flags = ['--id', 'a', '--members', members, '--state', folder(), '--json']
  const findings = JSON.parse(call('doctor', ...flags).out) as { check: string; ok: boolean }[]
  expect(findings.find(({ check }) => check === 'protection')).toMatchObject({ ok: false })
})

async function fetched(
  http: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ code: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = get(`http://${http}${path}`, { headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => (text += String(chunk)))
      response.on('end', () => resolve({ code: response.statusCode!, text }))
    })
    request.on('error', reject)
  })
}
