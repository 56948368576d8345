import type { Store } from '../../ports/store.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { sweep } from './sweep.ts'

/** Options of a sweeper. */
export interface SweeperOptions {
  /** From the end of one sweep to the beginning of the next. Default 1000. */
  everyMs?: number
  /** Called with the error that stopped a sweep, and with the problem of each unreadable request. The sweeper goes on. */
  onError: (error: unknown) => void
}

/** Sweeps a store periodically until it is stopped or disposed of. */
export interface Sweeper extends AsyncDisposable {
  /** Stops the sweeper. Resolves when the current sweep has ended. */
  stop(): Promise<void>
}

/**
 * Calls {@link sweep} every second. Two sweeps of one sweeper never overlap, and its timer keeps no process alive. Any number of processes may have one
 * on the same store.
 */
export function createSweeper(store: Store, options: SweeperOptions): Sweeper {
  requireKnown('createSweeper', options, ['everyMs', 'onError'])
  const { everyMs = 1000, onError } = options
  if (!(everyMs > 0 && everyMs <= 0x7fffffff)) throw new InputInvalid(`everyMs must be above 0, not ${everyMs}`)
  if (typeof onError !== 'function') throw new InputInvalid('createSweeper needs onError: a sweep may fail')
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let working = turn()

  /** Never rejects, unless `onError` throws: then that is an unhandled rejection, as anything thrown in a timer is. */
  async function turn(): Promise<void> {
    try {
      const { problems } = await sweep(store, { signal: stopping.signal })
      for (const { error } of problems) onError(error)
    } catch (error) {
      onError(error)
    } finally {
      if (!stopping.signal.aborted) timer = setTimeout(() => (working = turn()), everyMs).unref()
    }
  }

  const stop = async (): Promise<void> => {
    stopping.abort()
    clearTimeout(timer)
    await working
  }
  return { stop, [Symbol.asyncDispose]: stop }
}
