/** Polls until there is a value; a test that waits in vain fails with what it waited for. */
export async function until<T>(
  get: () => T | undefined | null | false,
  what: string | (() => string) = 'a condition',
  limitMs = 20_000,
): Promise<T> {
  const started = performance.now()
  for (;;) {
    const value = get()
    if (value !== undefined && value !== null && value !== false) return value
    if (performance.now() - started > limitMs) {
      throw new Error(`waited in vain for ${typeof what === 'string' ? what : what()}`)
    }
    await sleep(2)
  }
}

export async function sleep(ms: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
