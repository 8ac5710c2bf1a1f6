/** `npm run fuzz -- [chunks] [seed]`: hostile bytes for the readers of the wire; a million by default. */
import { fuzz } from '../test/fuzz-frames.ts'

const [chunks = 1_000_000, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number)
const before = process.memoryUsage().rss
const report = fuzz(chunks, seed)
const grownMb = (process.memoryUsage().rss - before) / (1 << 20)
process.stdout.write(`${JSON.stringify({ seed, ...report, grownMb: Math.round(grownMb) })}\n`)
