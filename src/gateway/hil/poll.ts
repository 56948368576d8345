import type { z } from 'zod'
import type { pollRequest } from '../../protocol/hil.ts'
import type { Caller } from '../auth/auth.ts'
import type { Core } from '../core.ts'
import { NO_STREAM, type Result, refuse } from '../refusal.ts'
import { nextMessage } from './next-message.ts'
import { findSession } from './session.ts'

/** What a caller is told who has too much waiting. */
export const TOO_MANY = refuse(429, 'Too many polls and connections of yours wait already.', { 'retry-after': '1' })

/** At most one message after a position, as the text of the answer's body; `null` if nothing came in time. */
export async function poll(
  core: Core,
  caller: Caller,
  { body, signal }: { body: z.infer<typeof pollRequest>; signal: () => AbortSignal },
): Promise<Result<string | null>> {
  const found = await findSession(core, caller, body.session_task_id)
  if (!found.ok) return found
  const cursor = { session: found.value, after: body.redis_last_id }
  const seconds = Math.min(body.timeout, core.settings.maxPollSeconds)
  const wait = seconds > 0 ? core.waits.enter(caller) : undefined
  if (seconds > 0 && !wait) return TOO_MANY
  const gone = wait && signal()
  try {
    if (wait && gone?.aborted) wait.cancel()
    else if (wait) gone?.addEventListener('abort', wait.cancel, { once: true })
    const next = await nextMessage(core, cursor, wait ? { waitMs: seconds * 1000, signal: wait.signal } : { waitMs: 0 })
    switch (next.kind) {
      case 'message':
        return { ok: true, value: JSON.stringify({ redis_last_id: next.position, HIL_msg: next.message }) }
      case 'idle':
        return { ok: true, value: null }
      case 'gone':
        return NO_STREAM
      default:
        return next satisfies never
    }
  } finally {
    if (wait) gone?.removeEventListener('abort', wait.cancel)
    wait?.end()
  }
}
