/** Writes the caption of a mark in the diagram in the viewer's language. */
import { say } from '../language/translate.ts'

/** Captions with values, as the diagram writes them. */
const WITH_VALUES: readonly (readonly [RegExp, string])[] = [
  [/^leads, term (?<term>.*)$/u, 'leads, term {term}'],
  [/^resigns for (?<name>.*)$/u, 'resigns for {name}'],
  [/^cut (?<link>.*)$/u, 'cut {link}'],
  [/^heal (?<link>.*)$/u, 'heal {link}'],
  [/^(?<name>\S+) is up$/u, '{name} is up'],
  [/^(?<name>\S+) is down$/u, '{name} is down'],
  [/^draws (?<number>\d+)$/u, 'draws {number}'],
  [/^(?<timer>\S+) time-out$/u, '{timer} time-out'],
]

export function markCaption(text: string): string {
  for (const [pattern, caption] of WITH_VALUES) {
    const values = pattern.exec(text)?.groups
    if (values !== undefined) return say(caption, values)
  }
  return say(text)
}
