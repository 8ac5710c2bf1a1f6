/** Keeps what the viewer prefers from visit to visit, where the browser allows it. */
class Preferences {
  /** Whether steps are shown in formal notation too. */
  private formalShown = $state(recall('formal') === 'true')

  get formal(): boolean {
    return this.formalShown
  }

  set formal(shown: boolean) {
    this.formalShown = shown
    remember('formal', String(shown))
  }
}

export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Storage may be forbidden: the choice then lasts as long as the page.
  }
}

export const preferences = new Preferences()
