/** Finds the addresses behind seeds: in the DNS, in a file, by a function of the user. Each call looks again. */
import { lookup, resolveSrv } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { parseAddress, showAddress } from '../../transports/address.ts'
import type { Seed } from '../options/seeds-option.ts'

/** What a seed leads to at the moment. */
export interface SeedAddresses {
  readonly addresses: readonly string[]
  /** Why there are none, if so. */
  readonly problem?: string
}

export async function addressesAt(seed: Seed): Promise<SeedAddresses> {
  try {
    const addresses = await look(seed)
    return addresses.length > 0
      ? { addresses }
      : {
          addresses,
          problem: `${nameOf(seed)}: ${seed.kind === 'function' ? 'returned no address' : 'is empty'}`,
        }
  } catch (error) {
    return { addresses: [], problem: `${nameOf(seed)}: ${reasonOf(error)}` }
  }
}

async function look(seed: Seed): Promise<string[]> {
  switch (seed.kind) {
    case 'address':
      return [seed.address]
    case 'dns': {
      const found = await lookup(seed.name, { all: true })
      return found.map(({ address: host }) => showAddress({ host, port: seed.port }))
    }
    case 'dns+srv': {
      const found = await resolveSrv(seed.name)
      return found
        .toSorted((a, b) => a.priority - b.priority)
        .map(({ name: host, port }) => showAddress({ host, port }))
    }
    case 'file':
      return addressesIn(await readFile(seed.path, 'utf8'))
    case 'function':
      return checked(await seed.find())
  }
}

/** One address in each line, or several separated by commas, with or without a name: `a=10.0.0.1:7400`. */
function addressesIn(text: string): string[] {
  const entries = text
    .split('\n')
    .flatMap((line) => line.replace(/#.*$/u, '').split(','))
    .map((entry) => entry.replace(/^[^=]*=/u, '').trim())
  return checked(entries.filter((entry) => entry !== ''))
}

function checked(addresses: readonly string[]): string[] {
  return addresses.map((address) => showAddress(parseAddress(address)))
}

function nameOf(seed: Seed): string {
  switch (seed.kind) {
    case 'address':
      return seed.address
    case 'dns':
    case 'dns+srv':
      return seed.name
    case 'file':
      return seed.path
    case 'function':
      return 'the function given as seeds'
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return REASONS[code ?? ''] ?? message
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTFOUND: 'the name is not found',
  ENODATA: 'the name has no such record',
  EAI_AGAIN: 'the name server does not answer',
  ETIMEOUT: 'the name server does not answer',
  ECONNREFUSED: 'the name server does not answer',
}
