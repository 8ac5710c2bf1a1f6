/**
 * The first hour of a service with the installed package, on the runtime that runs this file: three members join over
 * TCP and one of them leads; the leader steps down; the same under mutual TLS with the certificates in the folder
 * `certs`. Prints one JSON line. Usage: smoke.js PORT,PORT,…
 */
import { join, tcp } from 'bellwether'

const ports = process.argv[2].split(',')

/**
 * @param {string} name
 * @param {readonly string[]} own the ports
 * @param {(id: string) => import('bellwether').Transport} transportOf
 */
async function group(name, own, transportOf) {
  const ids = ['a', 'b', 'c']
  const members = Object.fromEntries(ids.map((id, i) => [id, `127.0.0.1:${own[i]}`]))
  const elections = await Promise.all(
    ids.map(async (id) => {
      const transport = transportOf(id)
      return join({ group: name, id, members, state: `state-${name}`, transport })
    }),
  )
  /** @type {[string, number][]} */
  const terms = []
  for (const election of elections) {
    void election.lead((term) => {
      term.assert()
      terms.push([election.id, term.fence])
    })
  }
  await Promise.all(elections.map(async (election) => election.ready()))
  const before = elections.find(({ current }) => current !== null)
  if (before === undefined) throw new Error('no member leads')
  await before.stepDown({ reason: 'smoke' })
  const next = elections.filter((election) => election !== before)
  await Promise.race(next.map(async (election) => election.whenLeading()))
  await Promise.all(elections.map(async (election) => election.close()))
  const rises = terms.every(([, fence], i) => i === 0 || fence > terms[i - 1][1])
  return { leaders: terms.map(([id]) => id), rises }
}

const plain = await group('plain', ports.slice(0, 3), () => tcp())
const tls = await group('secure', ports.slice(3), (id) =>
  tcp({
    tls: {
      ca: 'certs/authority.pem',
      certificate: `certs/${id}.pem`,
      key: `certs/${id}.key`,
    },
  }),
)
console.log(JSON.stringify({ plain, tls }))
