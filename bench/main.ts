import { loadEntries, main } from './frame.ts'

process.exitCode = await main(process.argv.slice(2), await loadEntries(), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
})
