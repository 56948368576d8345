const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The delays after failed attempts. The last repeats. */
const DELAYS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR]
/** After that time a message is not tried again by itself. */
const GIVE_UP_MS = 24 * HOUR
/** A delay is longer or shorter by up to this part, so that targets are not hit by everybody at once. */
const JITTER = 0.2

/** No message waits longer than this. */
export const LONGEST_WAIT_MS = Math.max(...DELAYS) * (1 + JITTER)

/** When a message is tried again after this many attempts; `undefined`: not by itself. */
export function nextTry(
  { attempts, since, now }: { attempts: number; since: number; now: number },
  random: () => number = Math.random,
): number | undefined {
  const delay = DELAYS[Math.min(attempts, DELAYS.length) - 1] ?? 0
  const at = now + Math.round(delay * (1 - JITTER + random() * 2 * JITTER))
  return at - since > GIVE_UP_MS ? undefined : at
}
