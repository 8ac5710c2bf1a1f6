/** Loaded before a member: each sync of a file takes SYNC_MS milliseconds longer, as on a disk that is slow or overloaded. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const syncMs = Number(process.env['SYNC_MS'])
const idle = new Int32Array(new SharedArrayBuffer(4))

for (const name of /** @type {const} */ (['fsyncSync', 'fdatasyncSync'])) {
  const real = fs[name]
  fs[name] = (file) => {
    Atomics.wait(idle, 0, 0, syncMs)
    real(file)
  }
}
for (const name of /** @type {const} */ (['fsync', 'fdatasync'])) {
  const real = fs[name]
  // @ts-expect-error without __promisify__
  fs[name] = (file, done) => setTimeout(() => real(file, done), syncMs)
}
syncBuiltinESMExports()
