import { z } from 'zod'
import { sessionId } from '../../protocol/hil/hil.ts'
import { check } from '../http/body.ts'
import type { Result } from '../refusal.ts'

const named = z.object({ session_task_id: sessionId() })

/** The session that a request is about. The rest of it is looked at once it is known whether the caller may see that session. */
export function readSessionId(value: unknown): Result<string> {
  const asked = check(named, value)
  return asked.ok ? { ok: true, value: asked.value.session_task_id } : asked
}
