#!/usr/bin/env node
import { existsSync } from 'node:fs'

const main = new URL('../dist/cli/main.js', import.meta.url)

if (existsSync(main)) {
  try {
    await import(main.href)
  } catch (cause) {
    const error = /** @type {NodeJS.ErrnoException} */ (cause)
    if (error?.code !== 'EMFILE' && error?.code !== 'ENFILE') throw error
    console.error(
      `bellwether: too many open files (${error.code}): raise the limit of this process (ulimit -n)`,
    )
    process.exitCode = 1
  }
} else {
  console.error('bellwether is not built yet: run `npm run build` in its folder, then try again.')
  process.exitCode = 2
}
