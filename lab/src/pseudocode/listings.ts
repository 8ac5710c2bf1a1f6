/** The pseudocode of each algorithm, loaded when it is shown. `listings.test.ts` compares it with runs. */
import { parseListing, type Listing } from './listing.ts'

const texts = import.meta.glob<string>('./listings/*.txt', { query: '?raw', import: 'default' })

/** The listing of an algorithm; null: one that the viewer wrote. */
export async function listingOf(algorithm: string): Promise<Listing | null> {
  const load = texts[`./listings/${algorithm}.txt`] as (() => Promise<string>) | undefined
  return load === undefined ? null : parseListing(await load())
}
