/** The Korean texts of the lessons, by the id of the lesson. */
const files = import.meta.glob<string>('./ko/*.md', {
  query: '?raw',
  import: 'default',
  eager: true,
})

export const TEXTS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(files).map(([path, text]) => [path.slice('./ko/'.length, -'.md'.length), text]),
)
