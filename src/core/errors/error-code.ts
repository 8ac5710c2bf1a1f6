/** The list of the stable codes of errors. */

/** What went wrong, in one word that stays the same from version to version. docs/guide/errors.md explains each. */
export type ErrorCode =
  // Wrong input.
  | 'configuration'
  | 'usage'
  | 'input'
  | 'simulation'
  | 'trace'
  | 'step'
  | 'codec'
  | 'missing-client'
  // Something outside does not work.
  | 'transport'
  | 'listen'
  | 'store'
  | 'locked'
  | 'unreachable'
  | 'engine'
  | 'engine-reset'
  // Leadership.
  | 'term-over'
  | 'not-leader'
  | 'unfit'
  | 'change-refused'
  | 'removed'
  | 'closed'
  | 'work-failed'
  | 'work-overdue'
  // Fences.
  | 'stale-fence'
  | 'fence-leap'
  | 'not-committed'
  | 'eviction'
  // Tools.
  | 'still-running'
  | 'algorithm'
  | 'live-fault'
