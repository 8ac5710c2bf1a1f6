/** The Japanese texts of the lessons, by the id of the lesson. */
const files = import.meta.glob<string>('./ja/*.md', {
  query: '?raw',
  import: 'default',
  eager: true,
})

export const TEXTS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(files).map(([path, text]) => [path.slice('./ja/'.length, -'.md'.length), text]),
)
