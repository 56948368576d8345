import type { RequestItem } from 'holdpoint/client'
import type { ActiveVerdict } from 'holdpoint/react'

/** A decision that is kept on this device. */
export type HeldVerdict = Extract<ActiveVerdict, { state: 'held' }>

/** Whether a kept decision can still be sent. */
export type HeldState = 'checking' | 'ready' | 'late' | 'changed' | 'decided'

/** A request as it is now. `absent`: the person can no longer see it, so it cannot be decided. */
export type Latest = RequestItem | 'absent'

/** The decisions that are kept. */
export const heldOf = (all: readonly ActiveVerdict[]): HeldVerdict[] =>
  all.filter((verdict) => verdict.state === 'held')

/**
 * Whether a kept decision may be sent: the request must be open, as it was seen, and before its deadline. A try that may have arrived is settled by
 * the server: its own key makes a second one harmless.
 */
export function heldState({ request, perhaps }: HeldVerdict, latest: Latest | undefined, now: number): HeldState {
  if (latest === undefined) return 'checking'
  if (latest === 'absent') return 'decided'
  if (perhaps && latest.status === 'decided') return 'ready'
  if (latest.status === 'expired') return 'late'
  if (latest.status !== 'open') return 'decided'
  if (latest.version !== request.version || latest.digest !== request.digest) return 'changed'
  return latest.expiresAt !== undefined && Date.parse(latest.expiresAt) <= now ? 'late' : 'ready'
}
