import { HoldpointError } from '../../src/protocol/errors/errors.ts'
import { pause } from '../support/until.ts'

/** Does something again while the store is away. What is done must be safe to repeat. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(HoldpointError.isInstance(error) && error.retryable)) throw error
      await pause(100)
    }
  }
}
