/** `npm run docs`: writes the documentation site into dist/site, and serves it where it is asked to. */
import { createReadStream, existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { commandLine, count } from '../support/command-line.ts'
import { writeSite } from './site.ts'

const { flags } = commandLine({
  run: 'npm run docs',
  does: 'Writes the documentation site, with the API reference, search and the lab, into dist/site.',
  flags: { serve: count(0, 'the port of 127.0.0.1 at which to serve it; 0: not at all') },
})

const FOLDER = 'dist/site'
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
}

const pages = writeSite(FOLDER)
process.stdout.write(`${pages.length} pages in ${FOLDER}\n`)
if (flags.serve > 0) serve(flags.serve)

function serve(port: number): void {
  const server = createServer(({ url = '/' }, response) => {
    // The URL parser resolves `..`, so no path leads out of the folder.
    const { pathname } = new URL(url, 'http://localhost')
    const path = join(FOLDER, decodeURIComponent(pathname.replace(/\/$/u, '/index.html')))
    if (path.includes('..') || !existsSync(path) || extname(path) === '')
      return response.writeHead(404).end('not found\n')
    const type = TYPES[extname(path)] ?? 'text/plain; charset=utf-8'
    return createReadStream(path).pipe(response.writeHead(200, { 'content-type': type }))
  })
  server.listen(port, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${port}/\n`))
}
