/** The registry of algorithms: lists all of them, for hosts that choose one by name, and exports each one. */
import type { Algorithm } from '../core/algorithm.ts'
import { bully } from './bully.ts'
import { bullyAsPrinted } from './specimens/bully-as-printed.ts'
import { bullyFd } from './bully-fd.ts'
import { bullyFdAsPrinted } from './specimens/bully-fd-as-printed.ts'
import { bullyFdQuorum } from './bully-fd-quorum.ts'
import { changRoberts } from './chang-roberts.ts'
import { changRobertsAsPrinted } from './specimens/chang-roberts-as-printed.ts'
import { garciaMolina } from './garcia-molina.ts'
import { hirschbergSinclair } from './rings/hirschberg-sinclair.ts'
import { invitation } from './invitation.ts'
import { itaiRodeh } from './rings/itai-rodeh.ts'
import { leLann } from './rings/le-lann.ts'
import { omega } from './omega.ts'
import { peterson } from './rings/peterson.ts'
import { raft } from './raft.ts'
import { ring } from './ring.ts'
import { ringAsPrinted } from './specimens/ring-as-printed.ts'
import { roulette } from './roulette.ts'
import { rouletteAsPrinted } from './specimens/roulette-as-printed.ts'
import { rouletteMajority } from './roulette-majority.ts'
import { stableLeader } from './stable-leader.ts'

export const algorithms: readonly Algorithm[] = [
  bully,
  bullyAsPrinted,
  garciaMolina,
  invitation,
  bullyFd,
  bullyFdAsPrinted,
  bullyFdQuorum,
  changRoberts,
  changRobertsAsPrinted,
  ring,
  ringAsPrinted,
  roulette,
  rouletteMajority,
  rouletteAsPrinted,
  raft,
  omega,
  stableLeader,
  leLann,
  hirschbergSinclair,
  peterson,
  itaiRodeh,
]

export {
  bully,
  bullyAsPrinted,
  garciaMolina,
  invitation,
  bullyFd,
  bullyFdAsPrinted,
  bullyFdQuorum,
  changRoberts,
  changRobertsAsPrinted,
  ring,
  ringAsPrinted,
  roulette,
  rouletteMajority,
  rouletteAsPrinted,
  raft,
  omega,
  stableLeader,
  leLann,
  hirschbergSinclair,
  peterson,
  itaiRodeh,
}
