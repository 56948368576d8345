import { sleep } from '../back-off.ts'
import { ClientError, TryAgain } from '../client-error.ts'
import type { Call } from '../connection.ts'
import { type ClientMessage, toMessage, toOpen } from '../message.ts'
import type { Feed, OpenNow, Reading } from './feed.ts'

/** An empty response that comes sooner than this was not held. */
const TOO_SOON_MS = 500
/** The poll interval when no connection may be held. */
const UNHELD_MS = 1000
/** How often a session that is busy, or polled without being held, is compared with what is open. */
const COMPARE_MS = 15_000

/**
 * Long polling: each request waits at the gateway until there is a message. The first one does not wait, so that it is known soon whether
 * the stream is there. With `wantsOpen` it also yields what is open: after the first poll, after each held poll that brought nothing, and every
 * 15 seconds. The gateway drops old notifications, so a client may never see that a question was retracted.
 */
export async function* poll(
  reading: Reading,
  { session, after, wantsOpen }: { session: string; after: string; wantsOpen: boolean },
): Feed<ClientMessage | OpenNow> {
  const { options, signal, onOpen } = reading
  let position = after
  let compared = 0
  for (let seconds = 0, first = true; ; seconds = reading.holds ? options.pollTimeoutSeconds : 0, first = false) {
    const asked = Date.now()
    const body = { session_task_id: session, timeout: seconds, redis_last_id: position }
    const answer = await ask(reading, { path: '/hil/poll', body }, seconds)
    if (answer === 'gone') return 'gone'
    onOpen()
    const isIdle = !answer?.HIL_msg && seconds > 0
    if (wantsOpen && (first || isIdle || Date.now() - compared >= COMPARE_MS)) {
      const open = await openNow(reading, session)
      compared = Date.now()
      if (open) yield open
    }
    if (answer?.HIL_msg) {
      const message = toMessage(answer.redis_last_id, answer.HIL_msg)
      position = message.position
      yield message
    } else if (!first || options.pollTimeoutSeconds === 0) {
      await rest(reading, { seconds, asked })
      signal.throwIfAborted()
      if (!reading.holds && reading.hasRoom()) return 'again'
    }
  }
}

/** Pauses after an empty response: a server that does not hold polls would otherwise be polled in a tight loop. */
export async function rest(
  { options, signal }: Reading,
  { seconds, asked }: { seconds: number; asked: number },
): Promise<void> {
  const least = seconds > 0 && Date.now() - asked < TOO_SOON_MS ? UNHELD_MS : 0
  const unheld = seconds === 0 && options.pollTimeoutSeconds > 0 ? UNHELD_MS : 0
  await sleep(Math.max(options.pollIntervalMs, least, unheld), signal)
}

/** What is open now; `undefined` if this gateway lacks the endpoint. */
async function openNow(reading: Reading, session: string): Promise<OpenNow | undefined> {
  const path = `/hil/open?session_task_id=${encodeURIComponent(session)}`
  try {
    const answer = await ask(reading, { path }, 0)
    return answer && answer !== 'gone' ? { kind: 'open', open: toOpen(answer.open) } : undefined
  } catch (error) {
    if ((error instanceof TryAgain || error instanceof ClientError) && error.status) return undefined
    throw error
  }
}

/** Sends a request that the gateway may hold for `seconds`; `undefined` if nothing came. */
export async function ask(
  { connection, options, signal }: Reading,
  call: Pick<Call, 'path' | 'body'>,
  seconds: number,
): Promise<{ [key: string]: unknown } | undefined | 'gone'> {
  const response = await connection.send({ ...call, timeoutMs: seconds * 1000 + options.requestTimeoutMs, signal })
  if (response.status === 404) return 'gone'
  if (response.status === 204) return undefined
  const text = await response.text().catch((cause: unknown) => {
    signal.throwIfAborted()
    throw new TryAgain(`The response broke off: ${String(cause)}`, { cause })
  })
  try {
    return JSON.parse(text) ?? undefined
  } catch (cause) {
    const problem = 'The answer to a poll is not JSON: is this the address of a gateway?'
    throw new ClientError('invalid_response', problem, { status: response.status, cause })
  }
}
