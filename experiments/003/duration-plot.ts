/** Draws a histogram of election times with the measured and the published mean, as in Figures 3 and 4 of 003. */
import type { Plot } from '../harness/claim.ts'
import { histogram } from '../harness/plot.ts'
import { brief, mean } from '../harness/statistics.ts'

export function durationPlot(
  about: Omit<Plot, 'svg'> & { readonly title: string; readonly xLabel: string },
  times: readonly number[],
  published: number,
): Plot {
  return histogram({
    ...about,
    x: { label: about.xLabel, min: 0 },
    counted: 'elections',
    values: times,
    binWidth: 25,
    marks: [
      { x: mean(times), label: `measured mean ${brief(mean(times))} ms` },
      { x: published, label: `published mean ${published} ms` },
    ],
  })
}
