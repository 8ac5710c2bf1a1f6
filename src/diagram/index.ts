/** The space-time diagram of a run: its model, and its drawing as SVG. */
export * from './diagram.ts'
export * from './svg/svg.ts'
