/** A candidate that waits for an advisory lock of PostgreSQL; the server grants it when the session of the holder ends. */
import pg from 'pg'
import { candidateArguments, reportLeader } from './candidate.js'

const { slot, settings } = candidateArguments()
const client = new pg.Client(settings.url)
client.on('error', () => process.exit(1))
await client.connect()
await client.query('SELECT pg_advisory_lock(42)')
reportLeader(slot)
