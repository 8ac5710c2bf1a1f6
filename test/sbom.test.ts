/** `npm run sbom`: the bill of materials names what a user of the command line installs, and nothing else. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

test('the bill of materials lists the two dependencies, their licences and checksums', () => {
  const text = execFileSync('npm', ['run', '-s', 'sbom'], { encoding: 'utf8' })
  const { components } = JSON.parse(text) as {
    components: { name: string; licenses: unknown[]; hashes: unknown[] }[]
  }
  expect(components.map(({ name }) => name)).toEqual(['commander', 'picocolors'])
  for (const { licenses, hashes } of components) {
    expect(licenses).toHaveLength(1)
    expect(hashes).toHaveLength(1)
  }
})
