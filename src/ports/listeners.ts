import { InputInvalid, messageOf } from '../protocol/errors/errors.ts'
import { outside } from './call-scope.ts'
import { warn } from './warnings.ts'

/** Gets a listener's error, and the value that the listener was called with. */
export type ListenerErrorHandler<T> = (error: unknown, told: T) => void

/** Checks `onListenerError` early: a wrong value would hide errors. */
export function requireListenerErrorHandler(what: string, handler: unknown): void {
  if (handler !== undefined && typeof handler !== 'function')
    throw new InputInvalid(`onListenerError of ${what} must be a function.`)
}

/**
 * Calls a listener without awaiting it. A failure affects neither the caller nor other listeners: it goes to `onError`,
 * by default a warning.
 */
export function tellListener<T>(
  listener: (told: T) => unknown,
  told: T,
  onError: ListenerErrorHandler<T> = warnOf,
): void {
  const failed = (error: unknown): void => {
    try {
      onError(error, told)
    } catch (another) {
      warnOf(another)
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

function warnOf(error: unknown): void {
  warn('listener_failed', `A listener failed: ${messageOf(error)}`, error instanceof Error ? error.stack : undefined)
}
