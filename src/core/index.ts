/** The public entry `bellwether/core`: the contracts of algorithms, detectors and hosts, and what they are built from. */
export {
  type Algorithm,
  type AnyHandlers,
  type AnyMessage,
  type AnyState,
  type Assumptions,
  type ElectionState,
  type Handlers,
  type IsOver,
  type Option,
  type OptionValues,
  type Options,
  type Out,
  type Promises,
  type Purpose,
  type TimerKind,
  type ValuesOf,
  algorithm,
  answer,
  canChange,
  canResign,
  choiceOption,
  deadline,
  handlersOf,
  hold,
  namesObsolete,
  numberOption,
  period,
  promisesLease,
  termText,
  termWriter,
} from './algorithm.ts'
export { InvariantError, assert } from './assert.ts'
export {
  type Change,
  type ChangeRefusal,
  type Configuration,
  MAX_CONFIGURATION_DATA,
  SEAT_ROLES,
  type SeatRole,
  changeOfSeat,
} from './configuration.ts'
export {
  type AnyDetectorHandlers,
  type Detector,
  type DetectorHandlers,
  type DetectorOut,
  type Evidence,
  detector,
  detectorHandlersOf,
} from './detector.ts'
export { BellwetherError } from './errors/bellwether-error.ts'
export type { ErrorCode } from './errors/error-code.ts'
export {
  type ConfiguredMember,
  Group,
  type GroupOptions,
  Labels,
  MemberRange,
  type MemberSequence,
  type Timing,
  orderByStrength,
} from './group.ts'
export { Hasher, hashText } from './hash.ts'
export { markdownTable } from './markdown-table.ts'
export { NodeArray, type ReadonlyNodeArray } from './node-array.ts'
export { NONE, type NodeId } from './node-id.ts'
export { NodeSet, type ReadonlyNodeSet } from './node-set.ts'
export { Layout, LayoutOverflow } from './packed-layout.ts'
export { majority } from './quorum.ts'
export { Random } from './random.ts'
export {
  CodecError,
  type Difference,
  type Field,
  type Fields,
  type Infer,
  type Json,
  type Label,
  type MemberCodec,
  type RecordOf,
  RecordSchema,
  type Role,
  type Shape,
  type UnionOf,
  UnionSchema,
  counter,
  flag,
  id,
  initial,
  int,
  node,
  nodeSet,
  numberedMembers,
  observer,
  oneOf,
  optional,
  orNone,
  perNode,
  record,
  source,
  stable,
  text,
  union,
} from './schema.ts'
export type { Settings } from './settings.ts'
export { parseDuration, showDuration } from './time.ts'
