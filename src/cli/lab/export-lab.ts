/** Writes the lab as a folder of static files, which any web server can serve and a browser can open as a file. */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../errors.ts'
import { builtLab } from './lab-server.ts'

/** Returns the page of the folder. */
export function exportLab(folder: string): string {
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new UsageError(`--export ${folder}: the folder is not empty`)
  }
  const source = builtLab()
  cpSync(source, folder, { recursive: true })
  const page = join(folder, 'index.html')
  writeFileSync(page, exportedPage(readFileSync(page, 'utf8')))
  writeFileSync(join(folder, 'files.js'), filesScript(join(source, 'assets')))
  return page
}

/** The script that starts the page comes instead of its modules, which a page from a file could not load. */
function exportedPage(html: string): string {
  return html
    .replace(
      /<script type="module" crossorigin src="\.\/assets\/([^"]+)"><\/script>/u,
      '<script src="./from-file.js" data-entry="$1"></script>',
    )
    .replaceAll(/\s*<link rel="modulepreload"[^>]*>/gu, '')
    .replaceAll('<link rel="stylesheet" crossorigin', '<link rel="stylesheet"')
}

function filesScript(assets: string): string {
  const names = readdirSync(assets)
  const texts = names
    .filter((name) => name.endsWith('.js'))
    .map((name) => [name, readFileSync(join(assets, name), 'utf8')])
  const files = {
    modules: Object.fromEntries(texts) as Record<string, string>,
    styles: names.filter((name) => name.endsWith('.css')),
  }
  return `globalThis.bellwetherFiles = ${JSON.stringify(files)}\n`
}
