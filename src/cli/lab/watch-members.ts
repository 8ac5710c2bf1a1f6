/** `lab --members`: follows members that run already, and shows them. Read-only. */
import { monotonic } from '../../clock/monotonic.ts'
import { followMember } from '../../live/follow-member.ts'
import { UsageError } from '../errors.ts'
import { LiveRoutes } from './live-routes.ts'
import { nearestSettings } from './nearest-settings.ts'

export interface Watched {
  readonly routes: LiveRoutes
  end(): void
}

const ADDRESS = /^(?:http:\/\/)?(\[[\da-f:]+\]|[\w.-]+):(\d{1,5})\/?$/u
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])$/u

/** `a=127.0.0.1:7401,b=http://127.0.0.1:7402`: where each member shows itself. */
export function watchMembers(list: string): Watched {
  const members = list.split(',').map((entry) => {
    const at = entry.indexOf('=')
    const [node, address] = [entry.slice(0, at).trim(), entry.slice(at + 1).trim()]
    const found = ADDRESS.exec(address)
    if (at < 1 || found === null)
      throw new UsageError(`--members: "${entry}" is not NAME=HOST:PORT`)
    const [, host, port] = found
    return { node, base: `http://${host}:${port}`, sameClock: LOOPBACK.test(host) }
  })
  const names = members.map(({ node }) => node)
  if (new Set(names).size < names.length) throw new UsageError('--members: a name is there twice')
  const routes = new LiveRoutes({ members: names, settings: nearestSettings({}) })
  const gone = new AbortController()
  for (const member of members) {
    followMember({
      ...member,
      now: () => monotonic.now(),
      tell: (record) => routes.tell(record),
      signal: gone.signal,
    })
  }
  return {
    routes,
    end() {
      gone.abort()
      routes.close()
    },
  }
}
