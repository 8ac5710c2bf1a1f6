/** `lab --members`: follows members of a running group over HTTP and shows them live in the lab, read-only. */
import { monotonic } from '../../clock/monotonic.ts'
import { followMember } from '../../live/follow-member.ts'
import type { LiveRecord } from '../../live/live-record.ts'
import { parseMemberList } from '../../runtime/options/members-option.ts'
import { isLoopback, parseAddress } from '../../transports/address.ts'
import { LiveRoutes } from './live-routes.ts'
import { nearestSettings } from './nearest-settings.ts'

/** `a=127.0.0.1:7401,b=http://127.0.0.1:7402`: where each member serves its status. */
export function watchMembers(list: string) {
  const members = Object.entries(parseMemberList(list)).map(([node, { address }]) => {
    const plain = address.replace(/^http:\/\//u, '').replace(/\/$/u, '')
    return { node, base: `http://${plain}`, sameClock: isLoopback(parseAddress(plain).host) }
  })
  const names = members.map(({ node }) => node)
  const routes = new LiveRoutes({ members: names, settings: nearestSettings({}) })
  const gone = new AbortController()
  for (const member of members) {
    const onRecord = (record: LiveRecord): void => routes.tell(record)
    followMember({ ...member, now: () => monotonic.now(), onRecord, signal: gone.signal })
  }
  const end = (): void => {
    gone.abort()
    routes.close()
  }
  return { routes, end }
}
