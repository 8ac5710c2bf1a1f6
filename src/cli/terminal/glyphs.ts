/** Lists the characters of the terminal diagram: box-drawing characters, or plain ASCII. */
const SIGNS = {
  leading: ['┃', '#'],
  following: ['│', '|'],
  seeking: ['┊', ':'],
  outside: ['╵', '`'],
  starting: ['┆', '!'],
  down: ['·', '.'],
  paused: ['‖', '='],
  send: ['●', 'o'],
  right: ['▶', '>'],
  left: ['◀', '<'],
  line: ['─', '-'],
  lost: ['✕', 'x'],
  break: ['⋮', ':'],
  leaderless: ['░', '~'],
  split: ['▓', '%'],
  elected: ['★', '*'],
  resign: ['☆', 'r'],
  crash: ['✕', 'x'],
  recover: ['↑', '^'],
  timeout: ['⧖', 't'],
  verdict: ['▫', 'd'],
  other: ['•', '-'],
} as const

export type Signs = Readonly<Record<keyof typeof SIGNS, string>>

export function signsOf(ascii: boolean): Signs {
  const chosen = Object.entries(SIGNS).map(([name, [box, plain]]) => [name, ascii ? plain : box])
  return Object.fromEntries(chosen) as Signs
}
