/**
 * Reserves descriptor numbers while a listener is opened, so that connections get smaller ones than the listener.
 *
 * When a process is killed, Linux closes its sockets from the largest descriptor to the smallest. A peer that sees its
 * connection end dials at once; if the listener is still open then, the kernel accepts the dial, and the peer learns
 * only milliseconds later that the process has ended. With the largest descriptor the listener is closed first.
 *
 * It only saves time: where systems close sockets in another order, or descriptors are short, the peer dials again.
 */
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'

export class DescriptorPlaces {
  private readonly places: number[] = []

  constructor(count: number) {
    try {
      for (let i = 0; i < count; i++) this.places.push(openSync(devNull, 'r'))
    } catch {
      this.free() // too many open files: the listener needs one of them
    }
  }

  free(): void {
    for (const place of this.places.splice(0)) closeSync(place)
  }
}
