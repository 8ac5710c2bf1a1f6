/**
 * The timers of the platform as they are when this module is loaded: mock timers, which a user's test installs later,
 * do not stop a member, and `close` works under them.
 */
export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = globalThis
