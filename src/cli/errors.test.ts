import { expect, test } from 'vitest'
import { CounterError } from '../check/reduction/counter-symmetry.ts'
import { ObsoleteMessageError } from '../check/reduction/obsolete-messages.ts'
import { InvariantError } from '../core/assert.ts'
import { CodecError } from '../core/schema.ts'
import { EngineError, MissingClientError } from '../engines/engine.ts'
import { ConfigurationError, EngineResetError } from '../runtime/errors.ts'
import { SimConfigError } from '../sim/config.ts'
import { TraceError } from '../sim/record/trace.ts'
import { InputError } from '../sim/settings/input-error.ts'
import { StepError } from '../sim/stepper/stepper.ts'
import { StoreError } from '../stores/store.ts'
import { TransportError } from '../transports/errors.ts'
import { exitCodeOf, sentenceOf, UsageError } from './errors.ts'

test.each([
  CodecError,
  ConfigurationError,
  CounterError,
  EngineError,
  EngineResetError,
  InputError,
  MissingClientError,
  ObsoleteMessageError,
  SimConfigError,
  StepError,
  StoreError,
  TraceError,
  TransportError,
  UsageError,
])('the sentence of a %o is printed without a stack trace', (ErrorClass) => {
  const error = Reflect.construct(ErrorClass, ['a', 'b', 'c', 'd']) as Error
  expect(sentenceOf(error)).toBe(error.message)
})

test('a defect of the program keeps its stack trace', () => {
  expect(sentenceOf(new InvariantError('x'))).toBeUndefined()
  expect(sentenceOf(new TypeError('x'))).toBeUndefined()
})

test.each(['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE', 'EROFS'])(
  'a state file that cannot be used now (%s) may be usable later: exit code 4',
  (code) => {
    const cause = Object.assign(new Error(code), { code, path: '/state/a.state.lock' })
    expect(exitCodeOf(new StoreError('cannot be created', { cause }))).toBe(4)
    expect(exitCodeOf(cause)).toBe(4)
  },
)

test('a state file that is damaged, or of another user, stays wrong: exit code 2', () => {
  expect(exitCodeOf(new StoreError('is damaged'))).toBe(2)
  const cause = Object.assign(new Error('EACCES'), { code: 'EACCES' })
  expect(exitCodeOf(new StoreError('cannot be read', { cause }))).toBe(2)
})
