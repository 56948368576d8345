import type { Progress } from '@modelcontextprotocol/sdk/types.js'
import type { JsonObject } from '../../../protocol/json/json.ts'

/** Tells a client that its call goes on. */
export interface ProgressReport {
  /** Says why the call waits, now and then, until the returned function is called. */
  every(seconds: number, message: () => string): () => void
  /** Hands progress of the server on. */
  pass(progress: Progress): void
}

/** Progress to a client that asked for it with `token`. Its values only grow: those of the server are added to what was counted while the call waited. */
export function progressTo(
  token: string | number | undefined,
  send: (params: JsonObject) => Promise<void>,
): ProgressReport {
  let counted = 0
  let passed = 0
  const tell = (params: JsonObject): void => {
    // A client that is gone is noticed by its signal.
    if (token !== undefined) send({ progressToken: token, ...params }).catch(() => undefined)
  }
  return {
    every(seconds, message) {
      const tick = (): void => {
        counted += 1
        tell({ progress: passed + counted, message: message() })
      }
      tick()
      const timer = setInterval(tick, seconds * 1000)
      timer.unref()
      return () => clearInterval(timer)
    },
    pass({ progress, total, message }) {
      passed = Math.max(passed, progress)
      tell({
        progress: progress + counted,
        ...(total === undefined ? {} : { total: total + counted }),
        ...(message === undefined ? {} : { message }),
      })
    },
  }
}
