/** The registry: every algorithm that a host can run, by name. */
import type { Algorithm } from '../core/algorithm.ts'
import { bully } from './bully.ts'
import { bullyAsPrinted } from './bully-as-printed.ts'
import { bullyFd } from './bully-fd.ts'

export const algorithms: readonly Algorithm[] = [bully, bullyAsPrinted, bullyFd]

export { bully, bullyAsPrinted, bullyFd }
