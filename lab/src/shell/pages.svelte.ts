/** The pages of the lab, in the order of the navigation: all but the first are loaded on demand. Remembers the run that the Lab page showed last. */
import type { Component } from 'svelte'
import type { Route } from '../run/run-link.ts'

export type PageName = 'lab' | 'learn' | 'challenges' | 'check' | 'write' | 'live'

interface PageEntry {
  readonly name: PageName
  /** null: part of the first load. */
  readonly load: (() => Promise<{ default: Component<{ route: Route }> }>) | null
}

export const PAGES: readonly PageEntry[] = [
  { name: 'lab', load: null },
  { name: 'learn', load: () => import('../pages/learn.svelte') },
  { name: 'challenges', load: () => import('../pages/challenges.svelte') },
  { name: 'check', load: () => import('../pages/check.svelte') },
  { name: 'write', load: () => import('../pages/write.svelte') },
  { name: 'live', load: () => import('../pages/live.svelte') },
]

export function pageNamed(name: string): PageEntry {
  return PAGES.find((page) => page.name === name) ?? PAGES[0]
}

class Pages {
  /** The address of the run that the Lab page showed last, so that the viewer finds it again. */
  lab = $state('#/lab')
}

export const pages = new Pages()
