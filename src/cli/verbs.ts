/** Lists the verbs of the `bellwether` command and loads the module of each one on demand. */
import type { Command } from 'commander'

/** A verb loads its own file only, so that a member starts fast. */
export const VERBS: Readonly<Record<string, () => Promise<Command>>> = {
  up: async () => (await import('./commands/up.ts')).upCommand(),
  node: async () => (await import('./commands/node.ts')).nodeCommand(),
  run: async () => (await import('./commands/run.ts')).runCommand(),
  status: async () => (await import('./commands/status.ts')).statusCommand(),
  members: async () => (await import('./commands/members.ts')).membersCommand(),
  configure: async () => (await import('./commands/configure.ts')).configureCommand(),
  'step-down': async () => (await import('./commands/step-down.ts')).stepDownCommand(),
  certs: async () => (await import('./commands/certs.ts')).certsCommand(),
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand(),
  engine: async () => (await import('./commands/engine.ts')).engineCommand(),
  repair: async () => (await import('./commands/repair.ts')).repairCommand(),
  simulate: async () => (await import('./commands/simulate.ts')).simulateCommand(),
  hunt: async () => (await import('./commands/hunt.ts')).huntCommand(),
  check: async () => (await import('./commands/check.ts')).checkCommand(),
  reproduce: async () => (await import('./commands/reproduce.ts')).reproduceCommand(),
  completion: async () => (await import('./commands/completion.ts')).completionCommand(),
  lab: async () => (await import('./commands/lab.ts')).labCommand(),
}
