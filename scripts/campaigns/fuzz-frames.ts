/** `npm run fuzz -- [chunks] [seed]`: feeds chunks of hostile bytes, a million by default, to the readers of the wire, and prints outcomes and memory growth as JSON. */
import { fuzz } from '../support/fuzz-frames.ts'
import { commandLine, count } from '../support/command-line.ts'

const { words } = commandLine({
  run: 'npm run fuzz',
  does: 'Hostile bytes for the readers of the wire. Prints what came of them as JSON.',
  words: {
    chunks: count(1_000_000, 'how many'),
    seed: count(Date.now() % 1_000_000, 'the same seed, the same bytes; by default by the clock'),
  },
})
const { chunks, seed } = words
const before = process.memoryUsage().rss
const report = fuzz(chunks, seed)
const grownMb = (process.memoryUsage().rss - before) / (1 << 20)
process.stdout.write(`${JSON.stringify({ seed, ...report, grownMb: Math.round(grownMb) })}\n`)
