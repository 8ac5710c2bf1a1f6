/** The order of the pages of the site: that of the questions of a user. Every other page comes after them. */

export interface Part {
  readonly title: string
  /** Paths in the repository. */
  readonly pages: readonly string[]
}

const guide = (...names: string[]): string[] => names.map((name) => `docs/guide/${name}.md`)

export const PARTS: readonly Part[] = [
  {
    title: 'Guide',
    pages: [
      'README.md',
      ...guide('start', 'promises', 'deploy', 'change', 'groups', 'operations', 'fencing'),
      ...guide('testing', 'timing', 'compare'),
      'docs/recipes.md',
    ],
  },
  { title: 'Reference', pages: [...guide('errors', 'faults', 'security'), 'docs/glossary.md'] },
  {
    title: 'Evidence',
    pages: [
      'docs/lab.md',
      'docs/algorithms.md',
      'docs/detectors.md',
      'docs/checker.md',
      'docs/checks.md',
      'docs/hunt.md',
      'docs/mutants.md',
      'docs/errata.md',
      'docs/scale.md',
      'docs/measurements.md',
      'docs/report/report.md',
      'docs/statechart/README.md',
    ],
  },
  {
    title: 'Project',
    pages: ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'],
  },
]
