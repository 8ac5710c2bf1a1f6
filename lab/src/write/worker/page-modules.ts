/** The modules that a program may import: the contract, and the algorithms that the page ships. */
import type { Modules } from './compile.ts'

const found = import.meta.glob(
  [
    '../../../../src/core/**/*.ts',
    '../../../../src/algorithms/**/*.ts',
    '!../../../../src/**/*.test.ts',
  ],
  { eager: true },
)

export const PAGE_MODULES: Modules = Object.fromEntries(
  Object.entries(found).map(([path, module]) => [path.replace(/^.*\/src\//u, ''), module]),
)
