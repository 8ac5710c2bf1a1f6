/** Writes the statistics of a configuration over many seeds: as text with histograms, as JSON and as an SVG picture. */
import { alignColumns } from '../terminal/print.ts'
import type { SeedSamples } from './seed-samples.ts'
import { histogramOf, shareOf, statisticsOf, type Bin } from './statistics.ts'

const FIGURES: readonly (readonly [key: keyof SeedSamples, title: string, unit: string])[] = [
  ['messages', 'messages', ''],
  ['electionMessages', 'messages for the election', ''],
  ['electedMs', 'time to elect', 'ms'],
  ['withoutLeaderMs', 'time without a leader', 'ms'],
]

export interface SeedRange {
  readonly first: number
  readonly last: number
}

/** Other programs rely on this format. */
export function seedJson(samples: SeedSamples, seeds: SeedRange, seconds: number) {
  const figures = Object.fromEntries(FIGURES.map(([key]) => [key, statisticsOf(samples[key])]))
  return { seeds, runs: samples.messages.length, seconds, ...figures, ...sharesOf(samples) }
}

function sharesOf({ electedMs, violations }: SeedSamples) {
  const n = violations.length
  const agreed = electedMs.filter((value) => !Number.isNaN(value)).length
  const broken = violations.filter((count) => count > 0).length
  return {
    agreed: { runs: agreed, ...shareOf(agreed, n) },
    violations: { runs: broken, ...shareOf(broken, n) },
  }
}

export function seedText(samples: SeedSamples, seeds: SeedRange, seconds: number): string {
  const { agreed, violations } = sharesOf(samples)
  const n = samples.messages.length
  const rows = FIGURES.map(([key, title, unit]) => {
    const { mean, low, high, median, p95, max } = statisticsOf(samples[key])
    const interval = `${show(low)} … ${show(high)}`
    const name = unit === '' ? title : `${title} (${unit})`
    return [name, show(mean), interval, show(median), show(p95), show(max)]
  })
  return [
    `${n.toLocaleString('en')} runs, seeds ${seeds.first} to ${seeds.last}, in ${seconds.toFixed(1)} s.`,
    `All members that were up agreed in ${percent(agreed)}; a promise was broken in ${percent(violations)}.`,
    '',
    ...alignColumns([['', 'mean', '95 % interval', 'median', '95 % below', 'most'], ...rows]),
    ...FIGURES.flatMap(([key, title, unit]) => [
      '',
      `${title}${unit && `, ${unit}`}`,
      ...bars(samples[key]),
    ]),
  ].join('\n')
}

function percent(share: { runs: number; share: number; low: number; high: number }): string {
  const show = (value: number): string => `${(100 * value).toFixed(2)} %`
  return `${show(share.share)} of the runs (${show(share.low)} … ${show(share.high)})`
}

const BINS = 10
const BAR = 40

function bars(values: readonly number[]): string[] {
  const bins = histogramOf(values, BINS)
  const most = Math.max(1, ...bins.map(({ count }) => count))
  const rows = bins.map(({ from, to, count }) => [
    `  ${show(from)} … ${show(to)}`,
    String(count),
    '█'.repeat(count === 0 ? 0 : Math.max(1, Math.round((BAR * count) / most))),
  ])
  return rows.length === 0 ? ['  no run has this figure'] : alignColumns(rows)
}

function show(value: number): string {
  return Number.isNaN(value) ? '–' : Number(value.toPrecision(4)).toLocaleString('en')
}

const [WIDTH, HEIGHT, MARGIN] = [360, 220, 40]

/** A histogram for each figure, side by side. */
export function seedSvg(samples: SeedSamples): string {
  const panels = FIGURES.map(([key, title, unit], i) => {
    const bins = histogramOf(samples[key], 30)
    const { mean, low, high } = statisticsOf(samples[key])
    const caption = `mean ${show(mean)} (${show(low)} … ${show(high)})${unit && ` ${unit}`}`
    return `<g transform="translate(${(i % 2) * WIDTH},${Math.floor(i / 2) * HEIGHT})">${panel(bins, title, caption)}</g>`
  })
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${2 * WIDTH} ${2 * HEIGHT}" ` +
    `font-family="system-ui, sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>` +
    `${panels.join('')}</svg>\n`
  )
}

function panel(bins: readonly Bin[], title: string, caption: string): string {
  const most = Math.max(1, ...bins.map(({ count }) => count))
  const width = (WIDTH - 2 * MARGIN) / Math.max(1, bins.length)
  const height = HEIGHT - 2.5 * MARGIN
  const base = HEIGHT - MARGIN
  const rects = bins.map(({ count }, i) => {
    const tall = (height * count) / most
    const [x, y] = [MARGIN + i * width, base - tall].map((value) => value.toFixed(1))
    return `<rect x="${x}" y="${y}" width="${(0.9 * width).toFixed(1)}" height="${tall.toFixed(1)}" fill="#3b6fb6"/>`
  })
  const ends = bins.length === 0 ? ['–', '–'] : [show(bins[0].from), show(bins.at(-1)!.to)]
  return (
    `<text x="${MARGIN}" y="22" font-weight="600">${title}</text><text x="${MARGIN}" y="38" fill="#555">${caption}</text>` +
    `${rects.join('')}<line x1="${MARGIN}" y1="${base}" x2="${WIDTH - MARGIN}" y2="${base}" stroke="#333"/>` +
    `<text x="${MARGIN}" y="${base + 16}">${ends[0]}</text>` +
    `<text x="${WIDTH - MARGIN}" y="${base + 16}" text-anchor="end">${ends[1]}</text>`
  )
}
