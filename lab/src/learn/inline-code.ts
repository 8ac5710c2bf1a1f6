/** Splits a text at its backticks into plain and code parts. */
export function splitCode(text: string): { code: boolean; text: string }[] {
  return text.split('`').map((part, i) => ({ code: i % 2 === 1, text: part }))
}
