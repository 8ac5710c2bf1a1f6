/** Text with `code` in it, in parts. */
export function rich(text: string): { code: boolean; text: string }[] {
  return text.split('`').map((part, i) => ({ code: i % 2 === 1, text: part }))
}
