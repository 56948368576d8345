import { pollRequest } from '../../protocol/hil/hil.ts'
import type { Caller } from '../auth/auth.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { check } from '../http/body.ts'
import { NO_STREAM, type Result, refuse } from '../refusal.ts'
import { type Cursor, type Next, nextMessages, readOwn } from './next-messages.ts'
import { readSessionId } from './session-id.ts'
import { usualPoll } from './usual-bodies.ts'
import { findSession, timeLeft, type VisibleSession } from './visible-session.ts'

/** The refusal for a caller with too many waits. */
export const TOO_MANY = refuse(429, 'Too many polls and connections of yours are waiting already.', {
  'retry-after': '1',
})

/** At most one message after a position, as JSON; `null` if nothing came in time. */
export async function poll(
  parts: GatewayParts,
  caller: Caller,
  { body, signal }: { body: unknown; signal: () => AbortSignal },
): Promise<Result<string | null>> {
  const usual = usualPoll(body)
  const id = usual ? { ok: true as const, value: usual.session_task_id } : readSessionId(body)
  if (!id.ok) return id
  const asked = usual ? { ok: true as const, value: usual } : check(pollRequest(), body)
  const own = asked.ok ? await readOwn(parts, caller, { id: id.value, after: asked.value.redis_last_id }) : undefined
  if (own && 'HIL_msg' in own) return { ok: true, value: JSON.stringify(own) }
  const found = own ? { ok: true as const, value: own } : await findSession(parts, caller, id.value)
  if (!found.ok) return found
  if (!asked.ok) return asked
  const { timeout, redis_last_id: after } = asked.value
  const cursor = { session: found.value, after }
  const waitMs = waitTime(parts, found.value, timeout)
  // A message that is there already needs no wait slot. In a session of theirs it was looked for.
  const next = own ? IDLE : await nextMessages(parts, cursor, { waitMs: 0 })
  return toResult(next.kind === 'idle' && waitMs > 0 ? await waitAt(parts, cursor, { waitMs, gone: signal() }) : next)
}

const IDLE: Next = { kind: 'idle' }

/** How long a poll may wait, in milliseconds: never beyond the expiry of the caller's token. */
export function waitTime(parts: GatewayParts, { caller }: Pick<VisibleSession, 'caller'>, seconds: number): number {
  return Math.min(Math.min(seconds, parts.settings.maxPollSeconds) * 1000, timeLeft(caller))
}

/** Waits for the next messages in a wait slot; `crowded` if there is none. */
export async function waitAt(
  parts: GatewayParts,
  cursor: Cursor,
  { waitMs, gone, limit = 1 }: { waitMs: number; gone: AbortSignal; limit?: number },
): Promise<Next | { kind: 'crowded' }> {
  const slot = parts.waitSlots.enter(cursor.session.caller)
  if (!slot) return { kind: 'crowded' }
  try {
    if (gone.aborted) slot.cancel()
    else gone.addEventListener('abort', slot.cancel, { once: true })
    return await nextMessages(parts, cursor, { waitMs, limit, signal: slot.signal })
  } finally {
    gone.removeEventListener('abort', slot.cancel)
    slot.end()
  }
}

function toResult(next: Next | { kind: 'crowded' }): Result<string | null> {
  switch (next.kind) {
    case 'messages':
      return { ok: true, value: next.items[0] ? JSON.stringify(next.items[0]) : null }
    case 'idle':
      return { ok: true, value: null }
    case 'gone':
      return NO_STREAM
    case 'crowded':
      return TOO_MANY
    default:
      return next satisfies never
  }
}
