/** `npm run hostile`: attacks real groups as a stranger, as a member with a valid certificate, as a process of a shared port, and with floods; counts what they achieve. */
import { attackAsMember } from './hostile/rogue-member.ts'
import { attackAsStranger } from './hostile/strangers.ts'
import { attackLeader } from './hostile/leader-attacks.ts'
import { attackPort } from './hostile/shared-port.ts'
import { amount, commandLine, oneOf } from '../support/command-line.ts'

const TRIES = 10_000
const RUNS = 100
const FRAMES = 10_000

const { words, flags } = commandLine({
  run: 'npm run hostile',
  does:
    'Four campaigns. strangers: another user of this machine tries everything that needs no key, 10,000 times of\n' +
    'each kind; it must get nothing but a closed connection. member: one of five members, with a valid certificate,\n' +
    'sends 10,000 legal and illegal frames in each of 100 runs; no process may die, and after its removal the others\n' +
    'must elect within 10 s. port: one of three processes of a port that four groups share sends 10,000 legal and\n' +
    'illegal frames in each of 100 runs; no process may die or keep memory, no group may have two leaders, the group\n' +
    'without the rogue must keep its leader and term, and after its end each group must elect within 10 s. leader: floods, slow handshakes and idle connections against a leader without protection.\n' +
    'Prints JSON lines; exit code 1 if one of them is not ok.',
  words: { share: amount(1, 'of the full scale') },
  flags: {
    only: oneOf(['strangers', 'member', 'port', 'leader'], undefined, 'only this campaign'),
  },
})

const { share } = words
const print = (result: object): void => void process.stdout.write(`${JSON.stringify(result)}\n`)
const campaigns = {
  strangers: () => attackAsStranger(Math.ceil(TRIES * share), print),
  member: () =>
    attackAsMember(Math.ceil(RUNS * share), Math.ceil(FRAMES * Math.sqrt(share)), print),
  port: () => attackPort(Math.ceil(RUNS * share), Math.ceil(FRAMES * Math.sqrt(share)), print),
  leader: () => attackLeader(share, print),
}
let ok = true
for (const [name, attack] of Object.entries(campaigns)) {
  if (flags.only !== undefined && flags.only !== name) continue
  ok = (await attack()) && ok
}
process.exitCode = ok ? 0 : 1
