/** The events of a host, none of which does anything: a test replaces those that it looks at. */
import type { HostEvents } from '../../src/runtime/host/host-config.ts'

const nothing = (): void => undefined

export const SILENT_HOST_EVENTS: HostEvents = {
  reconfigured: nothing,
  changed: nothing,
  renewed: nothing,
  verdictChanged: nothing,
  connected: nothing,
  unreachable: nothing,
  rejected: nothing,
  received: nothing,
  warned: nothing,
  failed: nothing,
}
