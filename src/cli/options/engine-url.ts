/**
 * Makes an engine from its URL, such as etcd://host:port, postgres://…, mysql://…, nats://… or redis://…, and finds
 * the URL: in a flag, in a file, in the environment.
 */
import { readFileSync } from 'node:fs'
import { etcd, kubernetes, mysql, nats, postgres, redis, type Engine } from '../../engines/index.ts'
import { UsageError } from '../errors.ts'

const VARIABLE = 'BELLWETHER_ENGINE'
/** Holds a password: `user:password@`, `token@` of NATS, or a parameter. */
const SECRET = /^nats:\/\/[^/]*@|:\/\/[^/]*:[^/]+@|[?&](?:ssl)?pass(?:word)?=/u

interface Places {
  readonly flag?: string | undefined
  readonly file?: string | undefined
  /** In the configuration file. */
  readonly configured?: string | undefined
}

/** The URL of the engine; undefined if there is none. A password may stand anywhere but on the command line. */
export function engineUrl({ flag, file, configured }: Places): string | undefined {
  if (flag !== undefined && file !== undefined) {
    throw new UsageError('give --engine or --engine-file, not both')
  }
  if (flag !== undefined && SECRET.test(flag)) {
    throw new UsageError(
      '--engine: a password on the command line can be read by every user of this machine (ps): put the URL into ' +
        `a file and give --engine-file, or into the variable ${VARIABLE}, or into the configuration file`,
    )
  }
  if (flag !== undefined) return flag
  if (file !== undefined) return readFileSync(file, 'utf8').trim()
  return process.env[VARIABLE] ?? configured
}

export function engineFrom(url: string): Engine {
  const [, scheme, rest] = /^([a-z]+):\/\/(.+)$/u.exec(url) ?? []
  if (url.startsWith('kubernetes://')) return kubernetesFrom(url)
  switch (scheme) {
    case 'etcd':
    case 'etcds':
      return etcdFrom(scheme, rest)
    case 'postgres':
    case 'postgresql':
      return postgres(url)
    case 'mysql':
    case 'mariadb':
      return mysql(`mysql://${rest}`)
    case 'nats':
      return natsFrom(url)
    case 'redis':
    case 'rediss':
      return redis(url)
    default:
      throw new UsageError(
        `the engine "${url.replace(/\/\/.*@/u, '//…@')}" is unknown; possible: etcd://HOST:PORT (etcds:// for TLS), ` +
          'postgres://…, mysql://…, nats://…, redis://…, kubernetes:// (experimental)',
      )
  }
}

/** `kubernetes://NAMESPACE/LEASE`, both of which a pod may leave out. */
function kubernetesFrom(url: string): Engine {
  const [namespace, name] = url.slice('kubernetes://'.length).split('/')
  return kubernetes({ ...(namespace && { namespace }), ...(name && { name }) })
}

/** The client takes the login apart from the addresses. */
function natsFrom(url: string): Engine {
  const [, first, second] = /\/\/([^:@,]*)(?::([^@,]*))?@/u.exec(url) ?? []
  const servers = url.split(',').map((one) => one.replace(/\/\/[^@]*@/u, '//'))
  if (first === undefined) return nats({ servers })
  const [name, pass] = [first, second].map((text) => decodeURIComponent(text ?? ''))
  return nats({ servers, ...(second === undefined ? { token: name } : { user: name, pass }) })
}

function etcdFrom(scheme: 'etcd' | 'etcds', rest: string): Engine {
  const protocol = scheme === 'etcd' ? 'http' : 'https'
  const [, user, password = '', hosts] = /^(?:([^:@]*):([^@]*)@)?(.*)$/u.exec(rest)!
  const endpoints = hosts.split(',').map((host) => `${protocol}://${host}`)
  if (user === undefined) return etcd({ endpoints })
  return etcd({
    endpoints,
    user: decodeURIComponent(user),
    password: decodeURIComponent(password),
  })
}
