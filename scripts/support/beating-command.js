/** A command for `run` that appends its term and the time to a file every 5 ms; it ignores SIGTERM if its second argument is `stubborn`. */
import { openSync, writeSync } from 'node:fs'

const [path, stubborn] = process.argv.slice(2)
const file = openSync(path, 'a')
if (stubborn === 'stubborn') process.on('SIGTERM', () => undefined)
process.on('SIGUSR2', () => process.exit(0))
const beat = () =>
  writeSync(file, `${process.env['BELLWETHER_TERM']} ${process.hrtime.bigint()} ${process.pid}\n`)
beat()
setInterval(beat, 5)
