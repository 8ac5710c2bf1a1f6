/**
 * `npm run sbom`: prints the bill of materials (CycloneDX) of what an installation of the package contains: what npm
 * lists, without what only development needs. (`npm sbom --omit=dev` also omits what both need.)
 */
import { execFileSync } from 'node:child_process'
import { commandLine } from '../support/command-line.ts'

commandLine({
  run: 'npm run sbom',
  does: 'Prints the bill of materials (CycloneDX) of what an installation of the package contains.',
})

interface Component {
  readonly 'bom-ref': string
  readonly properties: readonly { readonly name: string }[]
}
interface Bill {
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=library']
const bill = JSON.parse(
  execFileSync('npm', args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'ignore'],
  }),
) as Bill
const components = bill.components.filter(
  ({ properties }) => !properties.some(({ name }) => name === 'cdx:npm:package:development'),
)
const kept = new Set([bill.metadata.component, ...components].map((one) => one['bom-ref']))
const dependencies = bill.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }))
process.stdout.write(`${JSON.stringify({ ...bill, components, dependencies }, null, 2)}\n`)
