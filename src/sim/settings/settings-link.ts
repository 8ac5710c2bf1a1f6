/** Writes settings as a query of a link to the lab, and as a command that simulates the same run. */
import type { Settings } from '../../core/settings.ts'

export function queryOf(settings: Settings): string {
  return settings.map(([key, value]) => `${key}=${escape(value)}`).join('&')
}

/** Escapes only the characters that would break a link. */
function escape(text: string): string {
  return encodeURIComponent(text).replaceAll(/%(?:40|2C|3A|3E|2F|7C)/gu, (code) =>
    code === '%7C' || code === '%3E' ? code : decodeURIComponent(code),
  )
}

/** The command that simulates the same run. */
export function commandOf(settings: Settings): string {
  const quoted = (value: string): string => (/^[\w.,:@%+=-]+$/u.test(value) ? value : `'${value}'`)
  const options = settings.map(([key, value]) => `--${key} ${quoted(value)}`)
  return ['bellwether simulate', ...options].join(' ')
}
