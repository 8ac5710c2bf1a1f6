/** `npm run api`: writes the API report, api/*.md, from the declarations in dist. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { commandLine } from '../support/command-line.ts'
import { apiReport } from './api-report.ts'

commandLine({
  run: 'npm run api',
  does: 'Writes the API report, api/*.md, from the declarations that the compiler made.',
})
rmSync('api', { recursive: true, force: true })
mkdirSync('api')
for (const [path, page] of apiReport()) writeFileSync(path, page)
