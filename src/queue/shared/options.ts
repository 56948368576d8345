import { InputInvalid } from '../../protocol/errors/errors.ts'

/** Times that every queue with an engine has. */
export interface EngineTimes {
  /** How long a call waits for the engine before it rejects with `QueueFailed`. Default 5000. */
  timeoutMs?: number
  /** How long after the last sign of life of a process the wake-ups that it had are handed out again. Default 15000. */
  lostAfterMs?: number
}

/** The names of {@link EngineTimes}. */
export const TIMES = ['timeoutMs', 'lostAfterMs'] as const

/** Checks the times, and fills in the defaults. */
export function checkTimes({ timeoutMs = 5000, lostAfterMs = 15_000 }: EngineTimes): Required<EngineTimes> {
  for (const [name, ms] of Object.entries({ timeoutMs, lostAfterMs })) {
    if (!Number.isInteger(ms) || ms < 1 || ms >= 2 ** 31)
      throw new InputInvalid(`${name} must be an integer number of milliseconds, 1 or more`)
  }
  return { timeoutMs, lostAfterMs }
}
