import { readFileSync } from 'node:fs'
import { join } from 'node:path'
const base = process.env.BW ?? '/work/wt/runtime'
const { Herd } = await import(base + '/test/support/fleet.ts')
const [n, secs, ...flags] = process.argv.slice(2)
const herd = await Herd.open({ members: Number(n), flags, ...(process.env.PROF ? { launch: () => ({ node: ['--cpu-prof', '--cpu-prof-dir=' + process.env.PROF] }) } : {}) })
await herd.agreed(() => herd.names)
await new Promise(r => setTimeout(r, 2000))
async function usage(name: string) {
  const stat = readFileSync(`/proc/${herd.fleet.pidOf(name)}/stat`, 'utf8')
  const f = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const { http } = JSON.parse(readFileSync(join(herd.state, `herd.${name}.contact`), 'utf8'))
  const m = await (await fetch(`http://${http}/metrics`)).text()
  const g = (k: string) => Number(new RegExp(`name="${k}"\\} (\\d+)`).exec(m)?.[1])
  const ctx = readFileSync(`/proc/${herd.fleet.pidOf(name)}/status`, 'utf8')
  return { u: Number(f[11]) / 100, s: Number(f[12]) / 100, bytes: g('bytesSent'), frames: g('frames'), sent: g('framesSent'), steps: g('steps'), vol: Number(/voluntary_ctxt_switches:\s+(\d+)/.exec(ctx)![1]) }
}
const b = await Promise.all(herd.names.map(usage))
await new Promise(r => setTimeout(r, Number(secs) * 1000))
const a = await Promise.all(herd.names.map(usage))
let sum = 0
herd.names.forEach((name: string, i: number) => {
  const d = (k: string) => ((a[i] as any)[k] - (b[i] as any)[k]) / Number(secs)
  sum += d('u') + d('s')
  if (i > herd.names.length - 6) console.log(name, 'cpu%', (100 * (d('u') + d('s'))).toFixed(2), 'user', (100 * d('u')).toFixed(2), 'B/s', d('bytes').toFixed(0), 'in/s', d('frames').toFixed(1), 'out/s', d('sent').toFixed(1), 'steps/s', d('steps').toFixed(1), 'wake/s', d('vol').toFixed(0))
})
console.log('mean', (100 * sum / Number(n)).toFixed(3), 'load', readFileSync('/proc/loadavg', 'utf8').trim())
await herd.close()
