/**
 * The public entry `bellwether/diagram`: exports the model of the space-time diagram of a run, and its drawing as SVG.
 */
export {
  type Arrow,
  type ArrowPurpose,
  type Diagram,
  type DiagramSource,
  type Interval,
  type Lane,
  type LaneState,
  type Mark,
  type MarkKind,
  type Span,
  buildDiagram,
  diagramOf,
} from './diagram.ts'
export { renderSvg } from './svg/svg.ts'
