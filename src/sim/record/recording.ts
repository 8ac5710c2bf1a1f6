/** Records a run step by step, with the changes and sendings of each step, and writes it as a trace. */
import type { AnyMessage, AnyState } from '../../core/algorithm.ts'
import type { Difference, Label, UnionSchema } from '../../core/schema.ts'
import type { TraceEntry, TraceStep } from './trace.ts'
import type { SimConfig } from '../config.ts'
import { relabel } from '../faults/fault-operands.ts'
import type { Part, Recorder, Sending, Step } from './step.ts'

export interface RecordedStep {
  readonly at: number
  readonly step: Step
  readonly changes: readonly Difference[]
  readonly sendings: readonly Sending[]
  readonly violations: string[]
}

export class Recording implements Recorder {
  readonly entries: RecordedStep[] = []
  private readonly config: Pick<SimConfig, 'algorithm' | 'detector' | 'labels'>
  private readonly label: Label
  private before: AnyState | null = null
  private open: { at: number; step: Step; sendings: Sending[]; violations: string[] } | null = null

  constructor(config: Pick<SimConfig, 'algorithm' | 'detector' | 'labels'>) {
    this.config = config
    this.label = (id) => config.labels.of(id)
  }

  step(at: number, step: Step, state: AnyState | null): void {
    this.before = state === null ? null : (this.config.algorithm.state.copy(state) as AnyState)
    this.open = { at, step, sendings: [], violations: [] }
  }

  sent(sending: Sending): void {
    this.open?.sendings.push(sending)
  }

  violated(sentence: string): void {
    const entry = this.open ?? this.entries.at(-1)
    entry?.violations.push(sentence)
  }

  done(state: AnyState | null): void {
    if (this.open === null) return
    const { before } = this
    const schema = this.config.algorithm.state
    const changes =
      before === null || state === null ? [] : schema.differences(before, state, this.label)
    this.entries.push({ ...this.open, changes })
    this.open = null
  }

  trace(withClock = true): TraceEntry[] {
    return this.entries.map((entry) => this.traceEntry(entry, withClock))
  }

  show(message: AnyMessage, part: Part): string {
    if (part === 'election') return this.config.algorithm.messages.show(message, this.label)
    const messages = (this.config.detector as { messages: UnionSchema }).messages
    return `detector.${messages.show(message, this.label)}`
  }

  private traceEntry(entry: RecordedStep, withClock: boolean): TraceEntry {
    const { step } = entry
    const effects = entry.changes.map(
      ({ field, before, after }) => `${this.label(step.node)} ${field} ${before}→${after}`,
    )
    for (const { from, to, part, message, lost } of entry.sendings) {
      const note = lost === null ? '' : ` (${lost})`
      effects.push(`${this.label(from)}→${this.label(to)} ${this.show(message, part)}${note}`)
    }
    for (const sentence of entry.violations) effects.push(`! ${sentence}`)
    return {
      at: withClock ? entry.at : null,
      step: this.traceStep(step),
      note: step.kind === 'lose' ? step.why : '',
      effects,
    }
  }

  private traceStep(step: Step): TraceStep {
    if (step.kind === 'deliver' || step.kind === 'duplicate' || step.kind === 'lose') {
      const [from, to] = [this.label(step.from), this.label(step.node)]
      return { verb: step.kind, from, to, message: this.show(step.message, step.part) }
    }
    if (step.kind === 'timeout') {
      const timer = step.part === 'detector' ? `detector.${step.timer}` : step.timer
      const [node, peer] = [this.label(step.node), this.label(step.peer)]
      return { verb: 'timeout', node, timer, peer }
    }
    const { at: _, kind: verb, ...fields } = step.kind === 'fault' ? step.fault : { at: 0, ...step }
    return { verb, ...relabel(fields, this.label) } as TraceStep
  }
}
