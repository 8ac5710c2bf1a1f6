/** Holds the theme of the page (light or dark, as the system says until the viewer chooses) and reduced motion, and reads the colours for a canvas. */
import { MediaQuery } from 'svelte/reactivity'
import { remember } from './preferences.svelte.ts'

const system = matchMedia('(prefers-color-scheme: dark)')
const motion = new MediaQuery('prefers-reduced-motion: reduce')
const root = document.documentElement

class Theme {
  /** `theme.js` has set both attributes before the first paint. */
  dark = $state(root.dataset['theme'] === 'dark')
  private chosen = root.dataset['chosen'] === 'true'

  constructor() {
    system.addEventListener('change', ({ matches }) => {
      if (!this.chosen) this.show(matches)
    })
  }

  get reducedMotion(): boolean {
    return motion.current
  }

  toggle(): void {
    this.chosen = true
    this.show(!this.dark)
    remember('theme', this.dark ? 'dark' : 'light')
  }

  private show(dark: boolean): void {
    this.dark = dark
    root.dataset['theme'] = dark ? 'dark' : 'light'
  }
}

export const theme = new Theme()

const NAMES = [
  'text',
  'muted',
  'panel',
  'violation',
  'election',
  'periodic',
  'detector',
  'accent',
  'leader',
  'follower',
  'candidate',
  'waiting',
  'crashed',
  'suspected',
] as const
export type Colours = Readonly<Record<(typeof NAMES)[number], string>>

/** The colours of the style sheet, for a canvas. */
export function colours(): Colours {
  // Read, so that a `$derived` caller runs again when the theme changes.
  void theme.dark
  const style = getComputedStyle(root)
  const pairs = NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])
  return Object.fromEntries(pairs) as Colours
}
