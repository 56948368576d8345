import { warn } from '../ports/warnings.ts'
import { messageOf } from '../protocol/errors/errors.ts'

/**
 * Calls into the application's tracing. Samplers, processors and exporters may throw: that must not change what is done, only what is traced. The
 * first failure is a process warning.
 */
export class Harmless {
  #told = false

  /** Does something for a trace. If it fails: `otherwise`. */
  attempt<T>(trace: () => T, otherwise: T): T {
    try {
      return trace()
    } catch (error) {
      this.#tell(error)
      return otherwise
    }
  }

  /** Does work exactly once, inside of what `enter` sets up if that succeeds. Only what the work itself throws is thrown. */
  around<T>(enter: (work: () => void) => unknown, work: () => T): T {
    let done: { value: T } | { thrown: unknown } | undefined
    this.attempt(() => {
      enter(() => {
        done = outcomeOf(work)
      })
    }, undefined)
    const outcome = done ?? outcomeOf(work)
    if ('thrown' in outcome) throw outcome.thrown
    return outcome.value
  }

  #tell(error: unknown): void {
    if (this.#told) return
    this.#told = true
    warn('trace_failed', `OpenTelemetry threw, and spans may be missing: ${messageOf(error)}`)
  }
}

function outcomeOf<T>(work: () => T): { value: T } | { thrown: unknown } {
  try {
    return { value: work() }
  } catch (thrown) {
    return { thrown }
  }
}
