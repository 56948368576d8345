import { expect } from 'vitest'
import type { ThreadResult } from '../../../src/index.ts'
import type { ErrorCode, HoldpointError } from '../../../src/protocol/errors/errors.ts'
import type { RunResult } from '../../../src/runtime/run/result.ts'

type ErrorClass<T> = abstract new (...args: never[]) => T

/** Fails unless the work rejects with this error. Resolves to the error. */
export async function refused<T extends HoldpointError>(
  work: Promise<unknown>,
  kind: ErrorClass<T>,
  code: ErrorCode,
): Promise<T> {
  const outcome = await work.then(
    () => 'fulfilled',
    (error: unknown) => error,
  )
  return isError(outcome, kind, code)
}

/** Fails unless a run or a turn failed with this error. Returns the error. */
export function failedWith<T extends HoldpointError>(
  result: RunResult | ThreadResult,
  kind: ErrorClass<T>,
  code: ErrorCode,
): T {
  expect(result.status).toBe('failed')
  const { finalOutput, error } = result as { finalOutput?: unknown; error?: unknown }
  expect(finalOutput).toBeUndefined()
  return isError(error, kind, code)
}

function isError<T extends HoldpointError>(value: unknown, kind: ErrorClass<T>, code: ErrorCode): T {
  expect(value).toBeInstanceOf(kind)
  const error = value as T
  expect({ code: error.code, name: error.name }).toEqual({ code, name: kind.name })
  return error
}
