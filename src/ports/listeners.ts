import { emitWarning } from 'node:process'
import { InputInvalid, messageOf } from '../protocol/errors.ts'
import { outside } from './call-scope.ts'

/** Is told what a listener threw, or rejected with, and what the listener had been told. */
export type ListenerErrorHandler<T> = (error: unknown, told: T) => void

/** Checks an `onListenerError` when it is given: a wrong one would hide what it was to be told. */
export function requireListenerErrorHandler(what: string, handler: unknown): void {
  if (handler !== undefined && typeof handler !== 'function')
    throw new InputInvalid(`onListenerError of ${what} must be a function.`)
}

/**
 * Tells a listener. Nobody waits for it, and its failure harms nobody: neither who tells it nor other listeners. It goes to the handler;
 * without one it is a warning of the process.
 */
export function tellListener<T>(
  listener: (told: T) => unknown,
  told: T,
  onError: ListenerErrorHandler<T> = warn,
): void {
  const failed = (error: unknown): void => {
    try {
      onError(error, told)
    } catch (another) {
      warn(another)
    }
  }
  outside(() => {
    try {
      const returned = listener(told)
      if (isThenable(returned)) returned.then(undefined, failed)
    } catch (error) {
      failed(error)
    }
  })
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}

function warn(error: unknown): void {
  const detail = error instanceof Error ? error.stack : undefined
  emitWarning(`A listener failed: ${messageOf(error)}`, {
    type: 'HoldpointWarning',
    code: 'listener_failed',
    ...(detail === undefined ? {} : { detail }),
  })
}
