/** Keeps what the viewer prefers from visit to visit, where the browser allows it. */
class Preferences {
  /** Whether steps are shown in formal notation too. */
  private formalShown = $state(read('formal') === 'true')

  get formal(): boolean {
    return this.formalShown
  }

  set formal(shown: boolean) {
    this.formalShown = shown
    write('formal', String(shown))
  }
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Storage may be forbidden: the choice then lasts as long as the page.
  }
}

export const preferences = new Preferences()
