import { z } from 'zod'
import { sessionId, streamPosition } from '../../protocol/hil.ts'
import type { Caller } from '../auth/auth.ts'
import type { Core } from '../core.ts'
import { check } from '../http/body.ts'
import type { HttpCall } from '../http/endpoint.ts'
import { type Reply, toReply } from '../http/reply.ts'
import { errorFields } from '../log.ts'
import type { Wait } from '../waits.ts'
import { type Cursor, nextMessage } from './next-message.ts'
import { TOO_MANY } from './poll.ts'
import { findSession, timeLeft } from './session.ts'

/** What `GET /hil/events` is asked with. */
export const eventsQuery = z.object({ session_task_id: sessionId, redis_last_id: streamPosition.default('0') })

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // A proxy that collects what it passes on would hold every question back.
  'x-accel-buffering': 'no',
}

/** Messages of a session as they come, from `Last-Event-ID` on. */
export async function events(core: Core, caller: Caller, call: HttpCall): Promise<Reply> {
  const asked = check(eventsQuery, {
    session_task_id: call.query('session_task_id'),
    redis_last_id: call.header('last-event-id') ?? call.query('redis_last_id'),
  })
  if (!asked.ok) return toReply(asked.refusal)
  const found = await findSession(core, caller, asked.value.session_task_id)
  if (!found.ok) return toReply(found.refusal)
  const wait = core.waits.enter(caller)
  if (!wait) return toReply(TOO_MANY.refusal)
  const cursor = { session: found.value, after: asked.value.redis_last_id }
  return { status: 200, headers: HEADERS, body: eventStream(core, { cursor, wait }) }
}

/**
 * One small pull source: nothing is read of the session before the connection took what came before, and nothing is kept but the
 * position. A pull that waits is ended by `cancel`, when the client went away, or by the gateway when it stops.
 */
function eventStream(core: Core, { cursor, wait }: { cursor: Cursor; wait: Wait }): ReadableStream<Uint8Array> {
  let greeted = false
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (!greeted) {
          greeted = true
          return controller.enqueue(GREETING)
        }
        try {
          const { text, last } = await nextEvent(core, cursor, wait.signal)
          if (text !== undefined) controller.enqueue(text)
          if (!last) return
          controller.close()
        } catch (error) {
          if (!wait.signal.aborted) core.logger?.error(errorFields(error), 'an event stream failed')
          // Whoever reads comes back with the last position, and is then told what is the matter.
          controller.close()
        }
        wait.end()
      },
      cancel() {
        wait.cancel()
        wait.end()
      },
    },
    { highWaterMark: 0 },
  )
}

const encoder = new TextEncoder()
const GREETING = encoder.encode(': open\nretry: 1000\n\n')
const HEARTBEAT = encoder.encode(':\n\n')
const GONE = encoder.encode('event: gone\ndata: {}\n\n')

async function nextEvent(core: Core, cursor: Cursor, signal: AbortSignal): Promise<{ text?: Uint8Array; last?: true }> {
  const waitMs = Math.min(core.settings.heartbeatMs, timeLeft(cursor.session.caller))
  if (waitMs <= 0) return { last: true }
  const next = await nextMessage(core, cursor, { waitMs, signal })
  const last = signal.aborted ? { last: true as const } : {}
  switch (next.kind) {
    case 'idle':
      return signal.aborted ? last : { text: HEARTBEAT }
    case 'gone':
      return { text: GONE, last: true }
    case 'message': {
      // JSON has no line ends of its own, so one line holds it.
      const data = JSON.stringify(next.message)
      const text = encoder.encode(`id: ${next.position}\nevent: ${next.message.msg_type}\ndata: ${data}\n\n`)
      return { text, ...last }
    }
    default:
      return next satisfies never
  }
}
