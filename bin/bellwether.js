#!/usr/bin/env node
import { existsSync } from 'node:fs'

const main = new URL('../dist/cli/main.js', import.meta.url)

if (existsSync(main)) {
  await import(main.href)
} else {
  console.error('bellwether is not built yet: run `npm run build` in its folder, then try again.')
  process.exitCode = 2
}
