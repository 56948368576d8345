import { sleep } from './back-off.ts'
import { ClientError, TryAgain } from './client-error.ts'
import type { Feed, Reading } from './feed.ts'
import { toMessage } from './message.ts'

/** An empty answer that comes sooner than this was not waited for. */
const TOO_SOON_MS = 500

/**
 * Long polling: each request waits at the gateway until there is a message. The first one does not wait, so that it is known soon whether
 * the stream is there.
 */
export async function* poll({ connection, session, options, signal, onOpen }: Reading, after: string): Feed {
  let position = after
  for (let seconds = 0; ; seconds = options.pollTimeoutSeconds) {
    const asked = Date.now()
    const response = await connection.send({
      path: '/hil/poll',
      body: { session_task_id: session, timeout: seconds, redis_last_id: position },
      timeoutMs: seconds * 1000 + options.requestTimeoutMs,
      signal,
    })
    if (response.status === 404) return 'gone'
    onOpen()
    const answer = response.status === 204 ? undefined : await jsonOf(response, signal)
    if (answer?.HIL_msg) {
      const message = toMessage(answer.redis_last_id, answer.HIL_msg)
      position = message.position
      yield message
    } else if (seconds === options.pollTimeoutSeconds) {
      // Nothing is there. A server that does not wait would be asked again without end.
      const least = seconds > 0 && Date.now() - asked < TOO_SOON_MS ? 1000 : 0
      await sleep(Math.max(options.pollIntervalMs, least), signal)
      signal.throwIfAborted()
    }
  }
}

async function jsonOf(
  response: Response,
  signal: AbortSignal,
): Promise<{ redis_last_id?: unknown; HIL_msg?: unknown } | undefined> {
  const text = await response.text().catch((cause: unknown) => {
    signal.throwIfAborted()
    throw new TryAgain(`The answer broke off: ${String(cause)}`, { cause })
  })
  try {
    return (JSON.parse(text) ?? undefined) as { redis_last_id?: unknown }
  } catch (cause) {
    const problem = 'The answer to a poll is not JSON: is this the address of a gateway?'
    throw new ClientError('invalid_response', problem, { status: response.status, cause })
  }
}
