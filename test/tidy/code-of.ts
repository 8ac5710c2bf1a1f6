/**
 * Source text without what the program does not execute: the same text, of the same length and the
 * same lines, in which comments and the insides of strings, templates and regular expressions are
 * blank. What stands in `${ }` is code and stays.
 */
export function codeOf(text: string): string {
  let code = ''
  const openBraces: number[] = [] // one entry for each `${` that we are inside of

  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = code.length
    return pattern.exec(text)?.[0]
  }

  while (code.length < text.length) {
    const plain = take(PLAIN)
    if (plain !== undefined) {
      code += plain
      continue
    }
    const comment = take(COMMENT)
    if (comment !== undefined) {
      code += blank(comment)
      continue
    }
    const literal = take(QUOTED) ?? (regexpMayFollow(code) ? take(REGEXP) : undefined)
    if (literal !== undefined) {
      code += blankInside(literal, 1)
      continue
    }
    const char = text.charAt(code.length)
    const depth = openBraces.length - 1
    if (char === '`' || (char === '}' && openBraces[depth] === 0)) {
      const part = take(TEMPLATE_PART) ?? text.slice(code.length)
      if (char === '}') openBraces.pop()
      const opens = part.endsWith('${')
      if (opens) openBraces.push(0)
      code += blankInside(part, opens ? 2 : 1)
      continue
    }
    if (depth >= 0 && char === '{') openBraces[depth] += 1
    if (depth >= 0 && char === '}') openBraces[depth] -= 1
    code += char
  }
  return code
}

const PLAIN = /[^'"`/{}]+/y
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y
const QUOTED = /'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"/y
const REGEXP = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\//y
const TEMPLATE_PART = /[`}](?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{)/y

/** After an operator, an opening bracket or such a word a slash begins a regular expression; else it divides. */
function regexpMayFollow(code: string): boolean {
  const before = code.slice(-200).trimEnd()
  return /(?:^|[=(,:;!&|?{[+\-*%<>~^]|\b(?:return|typeof|case|in|of|else|void|throw))$/.test(before)
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ')
}

function blankInside(text: string, closing: number): string {
  return text.slice(0, 1) + blank(text.slice(1, -closing)) + text.slice(-closing)
}
