import type { z } from 'zod'
import type { pollRequest } from '../../protocol/hil.ts'
import type { Caller } from '../auth/auth.ts'
import type { Core } from '../core.ts'
import { NO_STREAM, type Result, refuse } from '../refusal.ts'
import { type Cursor, type Next, nextMessage } from './next-message.ts'
import { findSession, maySee, timeLeft } from './session.ts'

/** What a caller is told who has too much waiting. */
export const TOO_MANY = refuse(429, 'Too many polls and connections of yours wait already.', { 'retry-after': '1' })

/** At most one message after a position, as the text of the answer's body; `null` if nothing came in time. */
export async function poll(
  core: Core,
  caller: Caller,
  { body, signal }: { body: z.infer<typeof pollRequest>; signal: () => AbortSignal },
): Promise<Result<string | null>> {
  // What is there for them is handed out at once, by one look: whoever is not shown something is looked for in full.
  const streams = core.streams(caller.tenant)
  const first = await streams.read(body.session_task_id, { after: body.redis_last_id, limit: 1 })
  const ready = first.kind === 'messages' && maySee(core, caller, first.owner) ? first.messages[0] : undefined
  if (ready && 'message' in ready) return toResult({ kind: 'message', ...ready })
  const found = await findSession(core, caller, body.session_task_id)
  if (!found.ok) return found
  const cursor = { session: found.value, after: body.redis_last_id }
  // Nobody is told anything after their token has ended.
  const waitMs = Math.min(Math.min(body.timeout, core.settings.maxPollSeconds) * 1000, timeLeft(caller))
  // What is there is handed out at once: whoever has something to do need not get ready to wait, nor find room for it.
  const next = await nextMessage(core, cursor, { waitMs: 0 })
  return next.kind === 'idle' && waitMs > 0 ? waitAt(core, cursor, { waitMs, gone: signal() }) : toResult(next)
}

async function waitAt(
  core: Core,
  cursor: Cursor,
  { waitMs, gone }: { waitMs: number; gone: AbortSignal },
): Promise<Result<string | null>> {
  const wait = core.waits.enter(cursor.session.caller)
  if (!wait) return TOO_MANY
  try {
    if (gone.aborted) wait.cancel()
    else gone.addEventListener('abort', wait.cancel, { once: true })
    return toResult(await nextMessage(core, cursor, { waitMs, signal: wait.signal }))
  } finally {
    gone.removeEventListener('abort', wait.cancel)
    wait.end()
  }
}

function toResult(next: Next): Result<string | null> {
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
}
