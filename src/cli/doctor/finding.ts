import { messageOf } from '../../protocol/errors/errors.ts'
import { PeerMissing } from '../../protocol/errors/peer-missing.ts'

/** What a check found. `fail`: it will not work. `warn`: it works, and may lose something or surprise you. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail'
  /** What was checked, such as `store`. */
  readonly what: string
  readonly message: string
  /** What to do about it. */
  readonly advice?: string
}

/** Something is as it should be. */
export function ok(what: string, message: string): Finding {
  return { level: 'ok', what, message }
}

/** Something works, and should be different. */
export function warning(what: string, message: string, advice: string): Finding {
  return { level: 'warn', what, message, advice }
}

/** Something does not work. */
export function failure(what: string, message: string, advice: string): Finding {
  return { level: 'fail', what, message, advice }
}

/** Runs a check. What it throws becomes a failure. */
export async function checked(
  what: string,
  advice: string,
  check: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await check()
  } catch (error) {
    // Its message says what to install.
    if (error instanceof PeerMissing) return [{ level: 'fail', what, message: error.message }]
    return [failure(what, messageOf(error), advice)]
  }
}
