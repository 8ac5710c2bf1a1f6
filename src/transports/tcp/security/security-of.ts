/**
 * Chooses how connections are protected from the options of the TCP transport: certificates, a key, the key of this user
 * where all addresses are on this machine, or, requested by name, nothing.
 */
import { existsSync } from 'node:fs'
import { isLoopback, showAddress, type Address } from '../../address.ts'
import { TransportError } from '../../errors.ts'
import type { Security } from '../endpoint-context.ts'
import type { Owner, TlsFiles } from './certificate-files.ts'
import { localKeyFile, localKeyPath } from './local-key.ts'
import { mutualTls } from './mutual-tls.ts'
import { bareSockets } from './plain-sockets.ts'
import { keyRingIn, type KeyRing } from './pre-shared-key.ts'

export interface Protection {
  readonly tls?: TlsFiles
  readonly keys?: KeyRing | undefined
  readonly keyFile?: string
  readonly insecurePlaintext?: boolean
}

/** Throws TransportError where a file is unusable, or an address needs a protection that is not given. */
export function securityOf(
  { tls, keys, keyFile, insecurePlaintext }: Protection,
  owner: Owner,
  addresses: readonly Address[],
  refused: (reason: string) => void,
): Security {
  if (tls !== undefined) return mutualTls(tls, owner, (reason) => refused(`TLS: ${reason}`))
  if (keys !== undefined) return bareSockets(keys)
  const report = (reason: string): void => refused(`key: ${reason}`)
  if (keyFile !== undefined) return bareSockets(keyRingIn(keyFile, report))
  if (insecurePlaintext === true) return bareSockets()
  const outside = addresses.find(({ host }) => !isLoopback(host))
  if (outside === undefined) {
    if (owner.id === undefined) refuseUnknownGroup(owner.cluster)
    return bareSockets(keyRingIn(localKeyFile(owner.cluster), report))
  }
  throw new TransportError(
    `${showAddress(outside)} can be reached from outside this machine: give certificates (tls), ` +
      'a pre-shared key (key), or set insecurePlaintext: transport: tcp({ tls }); on the command line --ca, ' +
      '--certificate and --key, or --shared-key',
  )
}

/** A visitor needs the key that members have made: a new one would only hide that the name of the group is wrong. */
function refuseUnknownGroup(group: string): void {
  if (existsSync(localKeyPath(group))) return
  throw new TransportError(
    `no member of the group ${group} has run on this machine under this user, whose key would protect it: is this ` +
      'the name of the group (--group)? A group with certificates or a shared key needs these',
  )
}
