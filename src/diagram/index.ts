/**
 * The public entry `bellwether/diagram`: exports the model of the space-time diagram of a run, and its drawing as SVG.
 */
export * from './diagram.ts'
export * from './svg/svg.ts'
