/** `bellwether certs`: makes certificates for mutual TLS, or a key that all members share. */
import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { newSharedKey } from '../../transports/tcp/security/local-key.ts'
import { AUTHORITY, CertificateAuthority } from '../certificates/authority.ts'
import { writePrivate } from '../certificates/private-file.ts'
import { readMemberCertificate } from '../../transports/tcp/security/member-certificate.ts'
import { UsageError } from '../errors.ts'
import { wholeNumber } from '../options/option-flags.ts'
import { print, printJson } from '../terminal/print.ts'

interface Given {
  readonly group: string
  readonly out: string
  readonly days: number
  readonly operator: boolean
  readonly replace: boolean
  readonly sharedKey?: string
  readonly json?: true
}

export function certsCommand(): Command {
  return new Command('certs')
    .description(
      'Make certificates for mutual TLS: one authority, and one certificate for each member. ' +
        'Or make a key that all members share (--shared-key).',
    )
    .argument('[names...]', 'the names of the members, as in --members, or of operators')
    .option('--group <name>', 'the group that the certificates are valid for', 'default')
    .option(
      '--out <folder>',
      'the folder to write to; an authority that it holds is used again',
      'certs',
    )
    .option('--operator', 'for operators: they may ask for the status and a step-down', false)
    .option('--days <n>', 'for how many days they are valid', wholeNumber(1, 3650), 365)
    .option('--replace', 'replace certificates and keys that exist', false)
    .option('--shared-key <file>', 'write a new random key to this file instead')
    .option('--json', 'print JSON')
    .action(certs)
}

async function certs(members: readonly string[], given: Given): Promise<void> {
  if (given.sharedKey !== undefined) return makeSharedKey(members, given.sharedKey, given)
  if (members.length === 0) throw new UsageError('give the names of the members; see --help')
  checkNames(members, given)
  const hadAuthority = existsSync(join(given.out, `${AUTHORITY}.pem`))
  const authority = await CertificateAuthority.in(given.out, given.days)
  const fingerprints: Record<string, string> = {}
  for (const id of members) {
    const holder = { group: given.group, id, role: given.operator ? 'operator' : 'member' } as const
    fingerprints[id] = await authority.issue(holder, given.days, given.replace)
  }
  const files = [
    ...(hadAuthority ? [] : [`${AUTHORITY}.pem`]),
    ...members.flatMap((name) => [`${name}.pem`, `${name}.key`]),
  ]
  if (given.json === true) {
    const { out: folder, group, days } = given
    const authorityExpires = authority.notAfter.toISOString()
    return printJson({ folder, group, files, days, authorityExpires, fingerprints })
  }
  print(`Wrote ${files.join(', ')} to ${given.out}, for the group ${given.group}.`)
  if (hadAuthority) print(`The authority is the one that ${given.out} holds.`)
  print(
    `The authority expires on ${authority.notAfter.toISOString().slice(0, 10)}, and its certificates with it.`,
  )
  print('Keep authority.key away from the members: its holder can pose as any member.')
}

function makeSharedKey(members: readonly string[], file: string, { replace, json }: Given): void {
  if (members.length > 0) throw new UsageError('--shared-key takes no members: all share the key')
  writePrivate(file, newSharedKey(), replace)
  if (json === true) printJson({ file })
  else print(`Wrote ${file}: copy it to every member, readable by its user only.`)
}

/** Reports all that is wrong before a file is written. */
function checkNames(members: readonly string[], { out, replace, group }: Given): void {
  const seen = new Set<string>()
  for (const name of members) {
    if (!/^\w[\w.-]*$/u.test(name)) {
      throw new UsageError(
        `${name}: a name here has letters, digits, and . _ - only, and does not begin with . or -`,
      )
    }
    // Some disks do not distinguish capitals.
    const file = name.toLowerCase()
    if (file === AUTHORITY) throw new UsageError(`${name}: the authority has this name`)
    if (seen.has(file)) throw new UsageError(`${name}: the files of two members would be the same`)
    seen.add(file)
    const taken = ['pem', 'key'].map((kind) => join(out, `${name}.${kind}`)).find(existsSync)
    if (taken !== undefined && !replace) {
      throw new UsageError(`${taken} exists: give --replace to replace the certificate of ${name}`)
    }
    refuseOtherGroup(join(out, `${name}.pem`), group)
  }
}

/** To replace a certificate of another group would lock its member out there. */
function refuseOtherGroup(file: string, group: string): void {
  if (!existsSync(file)) return
  const { member, operator } = readMemberCertificate(new X509Certificate(readFileSync(file)), group)
  if (member !== '' || operator !== '') return
  throw new UsageError(
    `${file} is not of the group ${group}: give the --group of its members, or another folder (--out)`,
  )
}
