/** Light or dark: what the system says, until the viewer says otherwise. */
const system = matchMedia('(prefers-color-scheme: dark)')
const motion = matchMedia('(prefers-reduced-motion: reduce)')

class Theme {
  chosen = $state<'light' | 'dark' | null>(
    (document.documentElement.dataset['theme'] as 'light' | 'dark' | undefined) ?? null,
  )
  private systemDark = $state(system.matches)
  reducedMotion = $state(motion.matches)

  readonly dark: boolean = $derived(this.chosen === null ? this.systemDark : this.chosen === 'dark')

  constructor() {
    system.addEventListener('change', ({ matches }) => (this.systemDark = matches))
    motion.addEventListener('change', ({ matches }) => (this.reducedMotion = matches))
  }

  toggle(): void {
    this.chosen = this.dark ? 'light' : 'dark'
    document.documentElement.dataset['theme'] = this.chosen
    try {
      localStorage.setItem('theme', this.chosen)
    } catch {
      // Not kept, then.
    }
  }
}

export const theme = new Theme()

const NAMES = [
  'text',
  'muted',
  'panel',
  'line',
  'line-strong',
  'leader',
  'follower',
  'candidate',
  'violation',
  'election',
  'periodic',
  'detector',
  'accent',
] as const
export type Colours = Readonly<Record<(typeof NAMES)[number], string>>

/** The colours for a canvas, which knows no style sheet. */
export function colours(): Colours {
  // Read, so that whoever draws is told when it changes.
  void theme.dark
  const style = getComputedStyle(document.documentElement)
  const pairs = NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])
  return Object.fromEntries(pairs) as Colours
}
