/** The language of the page: that of the link (`lang=ko`), else the one that the viewer chose, else the first of the browser's that the page has. */
import { recall, remember } from '../shell/preferences.svelte.ts'
import { ENGLISH } from './en.ts'
import { LANGUAGES, type LanguageName } from './forms.ts'
import { translateWith, type Catalogue, type Phrases } from './translate.ts'

const ONLY_ENGLISH: Texts = { catalogue: ENGLISH, phrases: {}, patterns: {} }

/** English is part of the first load. */
const LOAD: Readonly<Record<LanguageName, () => Promise<Texts>>> = {
  en: () => Promise.resolve(ONLY_ENGLISH),
  ko: async () => {
    const texts = await import('./ko.ts')
    const phrases = texts.KOREAN_PHRASES
    return { catalogue: texts.KOREAN, phrases, patterns: texts.KOREAN_PATTERNS }
  },
  ja: async () => {
    const texts = await import('./ja.ts')
    const phrases = texts.JAPANESE_PHRASES
    return { catalogue: texts.JAPANESE, phrases, patterns: texts.JAPANESE_PATTERNS }
  },
}

interface Texts {
  readonly catalogue: Catalogue
  readonly phrases: Phrases
  readonly patterns: Phrases
}

function isLanguage(name: string): name is LanguageName {
  return Object.hasOwn(LANGUAGES, name)
}

class Language {
  name = $state<LanguageName>('en')
  /** The language that the link asked for; links to this page then ask for it too. */
  asked = $state<LanguageName | null>(null)
  private texts = $state.raw<Texts>(ONLY_ENGLISH)

  constructor() {
    translateWith(() => ({ language: this.name, ...this.texts }))
  }

  /** Shows the page in the language of its address, of an earlier choice, or of the browser. */
  async start(query: URLSearchParams): Promise<void> {
    if (await this.follow(query)) return
    const wanted = [recall('language') ?? '', ...navigator.languages]
    const found = wanted.map((tag) => tag.split('-')[0]).find(isLanguage)
    await this.show(found ?? 'en')
  }

  /** Shows the language that an address asks for, and says whether it asks for one. */
  async follow(query: URLSearchParams): Promise<boolean> {
    const asked = query.get('lang') ?? ''
    if (!isLanguage(asked)) return false
    this.asked = asked
    await this.show(asked)
    return true
  }

  async choose(name: LanguageName): Promise<void> {
    remember('language', name)
    if (this.asked !== null) this.asked = name
    await this.show(name)
  }

  private async show(name: LanguageName): Promise<void> {
    // Offline, a language that was never loaded is not there: the page stays as it is.
    const texts = await LOAD[name]().catch(() => null)
    if (texts === null) return
    this.texts = texts
    this.name = name
    document.documentElement.lang = name
  }
}

export const language = new Language()
