/** Holds the theme of the page (light or dark, as the system says until the viewer chooses) and reduced motion, and reads the colours for a canvas. */
const system = matchMedia('(prefers-color-scheme: dark)')
const motion = matchMedia('(prefers-reduced-motion: reduce)')
const root = document.documentElement

class Theme {
  /** `theme.js` has set both attributes before the first paint. */
  dark = $state(root.dataset['theme'] === 'dark')
  private chosen = root.dataset['chosen'] === 'true'
  reducedMotion = $state(motion.matches)

  constructor() {
    system.addEventListener('change', ({ matches }) => {
      if (!this.chosen) this.show(matches)
    })
    motion.addEventListener('change', ({ matches }) => (this.reducedMotion = matches))
  }

  toggle(): void {
    this.chosen = true
    this.show(!this.dark)
    try {
      localStorage.setItem('theme', this.dark ? 'dark' : 'light')
    } catch {
      // Storage may be forbidden: the choice then lasts as long as the page.
    }
  }

  private show(dark: boolean): void {
    this.dark = dark
    root.dataset['theme'] = dark ? 'dark' : 'light'
  }
}

export const theme = new Theme()

const NAMES = ['text', 'panel', 'violation', 'election', 'periodic', 'detector', 'accent'] as const
export type Colours = Readonly<Record<(typeof NAMES)[number], string>>

/** The colours of the style sheet, for a canvas. */
export function colours(): Colours {
  // Read, so that a `$derived` caller runs again when the theme changes.
  void theme.dark
  const style = getComputedStyle(root)
  const pairs = NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])
  return Object.fromEntries(pairs) as Colours
}
