import { createHash } from 'node:crypto'
import type { WakeUp } from '../../ports/queue.ts'

const LONGEST = 100
/** Delays end at full multiples of this, so that delayed rings of a thread that end together are one. */
const GRAIN_MS = 100

/** A name for a route that every engine accepts: without `:`, quotes or spaces, and short. Readable where it can be. */
export function routeName(route: string): string {
  const name = [...route]
    .map((char) => (/[\w.-]/.test(char) ? char : `~${char.codePointAt(0)!.toString(16)}~`))
    .join('')
  return name.length <= LONGEST ? name : `~${digest(route)}`
}

/** The key of rings that may be merged while they wait: of one thread on one route, to be handed out at the same time. */
export function ringKey({ tenantId, threadId, route }: WakeUp, at: number | undefined): string {
  return digest(JSON.stringify([tenantId, threadId, route, at ?? null]))
}

/** The time at which a delayed ring is due, `undefined` if it is due at once. */
export function dueAt(delayMs: number, now: number): number | undefined {
  return delayMs > 0 ? Math.ceil((now + delayMs) / GRAIN_MS) * GRAIN_MS : undefined
}

/** A short name for any text. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
