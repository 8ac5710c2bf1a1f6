/** Searches the sections of all pages for every word of the query, in the browser: headings first. */
const root = document.currentScript?.dataset['root'] ?? ''
const query = /** @type {HTMLInputElement} */ (document.querySelector('#query'))
const results = /** @type {HTMLOListElement} */ (document.querySelector('#results'))
const MOST = 20

/** @typedef {{ address: string, title: string, text: string }} Section */

/** @param {string} text */
function find(text) {
  const words = text.toLowerCase().split(/\s+/u).filter(Boolean)
  if (words.length === 0) return []
  const sections = /** @type {{ sections: Section[] }} */ (/** @type {unknown} */ (globalThis))
    .sections
  return sections
    .map((section) => ({ section, rank: rankOf(section, words) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
    .slice(0, MOST)
    .map(({ section }) => section)
}

/**
 * 0 if a word is missing.
 * @param {Section} section
 * @param {string[]} words
 */
function rankOf({ title, text }, words) {
  const [heading, body] = [title.toLowerCase(), text.toLowerCase()]
  let rank = 0
  for (const word of words) {
    if (heading.includes(word)) rank += 10
    else if (body.includes(word)) rank += 1
    else return 0
  }
  return rank
}

query.addEventListener('input', () => {
  const found = find(query.value)
  results.hidden = query.value.trim() === ''
  results.replaceChildren(
    ...found.map(({ address, title, text }) => {
      const link = document.createElement('a')
      link.href = `${root}${address}`
      link.textContent = title
      const item = document.createElement('li')
      const excerpt = document.createElement('p')
      excerpt.textContent = text.slice(0, 120)
      item.append(link, excerpt)
      return item
    }),
  )
  if (found.length === 0 && !results.hidden) results.textContent = 'Nothing found.'
})
