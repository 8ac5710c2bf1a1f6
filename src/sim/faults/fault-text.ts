/** Parses and writes faults as settings (`crash 5@100ms`, `cut 1,2|3@1s`, `heal @2s`), and writes their captions. */
import type { Labels } from '../../core/group.ts'
import type { NodeId } from '../../core/node-id.ts'
import { parseDuration, showDuration } from '../../core/time.ts'
import { declarationOf, type Fault, type FaultKind } from './fault-catalogue.ts'
import { parseOperands, relabel, showOperands } from './fault-operands.ts'

/** A cut or a heal of both directions is two faults. */
export function parseFault(
  kind: FaultKind,
  text: string,
  member: (text: string) => NodeId,
  complain: (possible: string) => Error,
): Fault[] {
  const { operands, form } = declarationOf(kind)
  const sign = text.lastIndexOf('@')
  const at = sign < 0 ? undefined : parseDuration(text.slice(sign + 1))
  const parsed = at === undefined ? at : parseOperands(operands, text.slice(0, sign), member)
  if (parsed === undefined) throw complain(`must be ${form}`)
  return parsed.map((fields) => ({ at, kind, ...fields }) as Fault)
}

export function showFault(fault: Fault, labels: Labels): readonly [key: FaultKind, value: string] {
  const { operands } = declarationOf(fault.kind)
  const what = showOperands(
    operands,
    relabel(fault, (id) => labels.of(id)),
  )
  return [fault.kind, `${what}@${showDuration(fault.at)}`]
}

export function captionOf(fault: Fault, label: (id: NodeId) => number): string {
  return declarationOf(fault.kind).caption(relabel(fault, label))
}
