/** The configuration of Vite that builds the lab into dist/lab. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))
const { version } = JSON.parse(readFileSync(path('../package.json'), 'utf8')) as { version: string }

export default defineConfig({
  root: path('.'),
  // Relative addresses, so that the page works under any path.
  base: './',
  plugins: [svelte()],
  define: { LAB_VERSION: JSON.stringify(version) },
  build: {
    outDir: path('../dist/lab'),
    emptyOutDir: true,
    target: 'es2023',
    reportCompressedSize: false,
    // Inlined data would need a weaker content security policy.
    assetsInlineLimit: 0,
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
  worker: { format: 'es' },
})
