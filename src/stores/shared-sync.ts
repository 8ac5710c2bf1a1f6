/**
 * Makes new names in a folder durable, for all stores of the process: those that need it at the same time share one sync.
 * A sync that began before the name was there does not count: the next one does.
 */

interface Syncs {
  running: Promise<void>
  /** Begins when the running one has ended. */
  next: Promise<void> | undefined
}

const folders = new Map<string, Syncs>()

/** Resolves when a sync that began after this call has ended. Rejects with its error. */
export async function syncShared(folder: string, sync: () => Promise<void>): Promise<void> {
  const syncs = folders.get(folder) ?? { running: Promise.resolve(), next: undefined }
  folders.set(folder, syncs)
  syncs.next ??= syncs.running
    .catch(() => undefined) // who waits for it has its error
    .then(async () => {
      syncs.running = sync()
      syncs.next = undefined
      return syncs.running
    })
  try {
    await syncs.next
  } finally {
    if (syncs.next === undefined) folders.delete(folder)
  }
}
