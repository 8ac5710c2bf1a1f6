/** Finds the algorithm that a program declares, and tests it against the contract: what the compiler would say, and what it cannot. */
import type { Algorithm } from '../../../../src/core/algorithm.ts'
import { closestName } from '../../../../src/core/errors/closest-name.ts'
import { Group } from '../../../../src/core/group.ts'
import { RecordSchema, UnionSchema, type Field } from '../../../../src/core/schema.ts'
import { ProgramError, type Problem, type ProblemKind } from '../program-problem.ts'

const REQUIRED = ['start', 'message', 'settled']
const OPTIONAL = ['timeout', 'up', 'down', 'drawn', 'resign', 'change', 'changeRefusal']
const OTHERS = ['configuration', 'dead', 'obsolete', 'rests', 'beaten']
const HANDLERS = [...REQUIRED, ...OPTIONAL, ...OTHERS]
const TIMING = { messageMs: 1, processingMs: 1, detectionMs: 4, watchMs: 8, periodMs: 20 }

type Tell = (kind: ProblemKind, values: Problem['values'], where: RegExp) => void

/** The algorithm of the program's exports. Throws ProgramError. */
export function algorithmIn(exports: Readonly<Record<string, unknown>>): Algorithm {
  const found = Object.values(exports).find(
    (value) => typeof value === 'object' && value !== null && 'handlers' in value,
  )
  if (found === undefined) throw new ProgramError('noAlgorithm')
  return found as Algorithm
}

/** Every rule of the contract that an algorithm breaks before it runs. */
export function contractProblems(algorithm: Algorithm, text: string): Problem[] {
  const problems: Problem[] = []
  const lines = text.split('\n')
  const tell: Tell = (kind, values, where) => {
    const place = lines.findLastIndex((line) => where.test(line))
    const declared = lines.findLastIndex((line) => /\balgorithm\(/u.test(line))
    const line = place >= 0 ? place : declared
    problems.push({ kind, values, line: line < 0 ? null : line + 1 })
  }
  if (!/^[a-z][a-z0-9-]*$/u.test(algorithm.name ?? '')) {
    tell('name', { name: algorithm.name }, /^\s*name\b/u)
  }
  judgeState(algorithm, tell)
  judgeMessages(algorithm, tell)
  judgePromises(algorithm, tell)
  if (problems.length === 0) judgeHandlers(algorithm, tell)
  return problems
}

const FIELDS: readonly (readonly [string, string, (field: Field) => boolean])[] = [
  ['status', 'oneOf(…)', ({ shape }) => shape.type === 'oneOf'],
  ['leader', 'node', ({ shape }) => shape.type === 'node'],
  ['term', 'counter()', ({ shape }) => shape.type === 'int'],
]

function judgeState({ state }: Algorithm, tell: Tell): void {
  const fields = state instanceof RecordSchema ? state.fields : {}
  for (const [name, kind, holds] of FIELDS) {
    const field = fields[name]
    if (field === undefined) tell('field', { name, kind }, /\bstate = record\(/u)
    else if (!holds(field)) tell('fieldKind', { name, kind }, new RegExp(`^\\s*${name}: `, 'u'))
  }
}

function judgeMessages({ messages, purposes, timers }: Algorithm, tell: Tell): void {
  const types = messages instanceof UnionSchema ? messages.types : []
  for (const type of Object.keys(purposes)) {
    if (!types.includes(type)) tell('purpose', { name: type }, /^\s*purposes\b/u)
  }
  for (const [name, timer] of Object.entries(timers ?? {})) {
    const kind = timer?.kind
    if (kind !== 'period' && kind !== 'answer') tell('timerKind', { name }, /\btimers = /u)
  }
}

const AGREEMENTS = ['always', 'eventually', 'in groups']
const ASSUMED = ['crashes', 'recoveries', 'loss', 'synchrony'] as const

function judgePromises({ promises, assumes }: Algorithm, tell: Tell): void {
  const where = /^\s*promises\b/u
  const { agreement, leader, termsRise } = promises ?? {}
  if (!AGREEMENTS.includes(agreement)) {
    tell('promise', { name: 'agreement', values: AGREEMENTS.join(', ') }, where)
  }
  if (leader !== 'highest' && leader !== 'any') {
    tell('promise', { name: 'leader', values: 'highest, any' }, where)
  }
  if (typeof termsRise !== 'boolean') {
    tell('promise', { name: 'termsRise', values: 'true, false' }, where)
  }
  for (const name of ASSUMED) {
    if (typeof assumes?.[name] !== 'boolean') tell('assumption', { name }, /^\s*assumes\b/u)
  }
}

function judgeHandlers(algorithm: Algorithm, tell: Tell): void {
  const where = /\bfunction handlers\b|^\s*handlers\b/u
  if (typeof algorithm.handlers !== 'function') return tell('handlersFunction', {}, where)
  const defaults = Object.entries(algorithm.options).map(([name, option]) => [name, option.default])
  const options = Object.fromEntries(defaults) as Record<string, string | number>
  const made: object = algorithm.handlers(new Group(3, TIMING), options) ?? {}
  const given = Object.keys(made)
  const returned = /^\s*return \{.*(?:start|message|settled)/u
  for (const name of REQUIRED) if (!given.includes(name)) tell('handlerMissing', { name }, returned)
  for (const name of given) {
    if (HANDLERS.includes(name)) continue
    const closest = closestName(name, HANDLERS) ?? HANDLERS.join(', ')
    tell('handlerUnknown', { name, closest }, returned)
  }
  const timed = Object.keys(algorithm.timers).length > 0
  if (timed && !given.includes('timeout')) tell('timeoutMissing', {}, returned)
}
