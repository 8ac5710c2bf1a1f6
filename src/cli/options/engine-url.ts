/** Makes an engine from its URL, such as etcd://host:port, postgres://…, nats://… or redis://…. */
import { etcd, nats, postgres, redis, type Engine } from '../../engines/index.ts'
import { UsageError } from '../errors.ts'

export function engineFrom(url: string): Engine {
  const [, scheme, rest] = /^([a-z]+):\/\/(.+)$/u.exec(url) ?? []
  switch (scheme) {
    case 'etcd':
    case 'etcds': {
      const protocol = scheme === 'etcd' ? 'http' : 'https'
      return etcd({ endpoints: rest.split(',').map((host) => `${protocol}://${host}`) })
    }
    case 'postgres':
    case 'postgresql':
      return postgres(url)
    case 'nats':
      return nats({ servers: url.split(',') })
    case 'redis':
    case 'rediss':
      return redis(url)
    default:
      throw new UsageError(
        `--engine: "${url}" is not the URL of an engine; possible: etcd://HOST:PORT (etcds:// for TLS), postgres://…, nats://…, redis://…`,
      )
  }
}
