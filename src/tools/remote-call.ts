import { pause } from '../ports/clock.ts'
import type { Streams } from '../ports/streams.ts'
import {
  HilContentError,
  HilMsgStreamMissingError,
  HitlAborted,
  RemoteToolFailed,
  StreamsFailed,
} from '../protocol/errors/errors.ts'
import type { HilInterruptContent, HilReply } from '../protocol/hil/hil.ts'
import { checkSize, derivedMessageId, retraction } from '../protocol/hil/hil-message.ts'
import type { JsonObject, JsonValue } from '../protocol/json/json.ts'
import { RemoteProgress } from './remote-progress.ts'

/** One call of a remote tool. */
export interface RemoteCallOptions {
  streams: Streams
  session: string
  toolName: string
  args: JsonObject
  /** The call's `idempotencyKey`. */
  key: string
  fencingToken: number
  attempt: number
  /** The W3C trace context of the call, if it is traced. */
  traceparent: string | undefined
  signal: AbortSignal
  timeoutSeconds: number
  resumable: boolean
  idempotent: boolean
  maxMessageBytes: number
  onProgress: ((progress: JsonValue) => void) | undefined
}

/** How often in a row an idempotent call is asked under an id that was used before. */
const MOST_ROUNDS = 100

/**
 * One remote call, from the question to its result.
 *
 * R1  Its message id is derived from the call's key and attempt. Re-entered after a restart, it waits for the question
 *     that is already there.
 * R2  When it gives up for good, it retracts the question and tells the client to stop. An earlier reply still counts.
 * R3  If its question was answered and the answer is lost, it says so. Only an idempotent call is asked again.
 */
export class RemoteCall {
  readonly #options: RemoteCallOptions

  constructor(options: RemoteCallOptions) {
    this.#options = options
  }

  /** Asks the client and waits. Resolves to the tool's result. Throws the failure that the model reads. */
  async run(): Promise<JsonValue> {
    const { onProgress, signal } = this.#options
    signal.throwIfAborted()
    try {
      await this.#takeBackEarlierAttempts()
      const { messageId, content, deadline } = await this.#send()
      const done = new AbortController()
      const progress = onProgress && new RemoteProgress(this.#options, { messageId, onProgress, signal: done.signal })
      try {
        const reply = await this.#reply(messageId, deadline)
        if (reply === undefined) return this.#result(await this.#giveUp(messageId, content))
        // Other clients that show it or work on it can stop. The call must not fail if this notice does.
        const notice = retraction({ messageId, content }, 'answered')
        await this.#options.streams.send(this.#options.session, notice).catch(() => undefined)
        return this.#result(reply)
      } finally {
        done.abort()
        await progress?.ended
      }
    } catch (error) {
      if (!(error instanceof HilMsgStreamMissingError)) throw error
      signal.throwIfAborted()
      throw this.#failed('its client is gone; whether it took effect is not known')
    }
  }

  /** Sends the call, unless it is on the stream from before a restart. */
  async #send(): Promise<{ messageId: string; content: HilInterruptContent; deadline: number }> {
    const { streams, session, toolName, key, attempt, timeoutSeconds, idempotent } = this.#options
    for (let round = 0; ; round++) {
      const messageId = derivedMessageId('remote', key, attempt, round)
      const deadline = Date.now() + timeoutSeconds * 1000
      const detail = this.#detail(deadline)
      const content: HilInterruptContent = {
        source: 'agent_tool_call',
        body: { tool_name: toolName, type: 'RemoteTool', tool_exec_uuid: messageId, detail },
      }
      const message = { msg_id: messageId, msg_type: 'HIL_interrupt_request' as const, content }
      checkSize(message, this.#options.maxMessageBytes)
      try {
        await streams.send(session, message)
        return { messageId, content, deadline: (await this.#deadlineOnStream(messageId)) ?? deadline }
      } catch (error) {
        if (!(error instanceof HilContentError)) throw error
        if (!idempotent || round === MOST_ROUNDS)
          throw this.#failed(
            'its client answered, but the answer was lost in a restart; whether it took effect is not known',
          )
      }
    }
  }

  /** What the client gets to know of the call. */
  #detail(deadline: number): JsonObject {
    const { args, key, fencingToken, traceparent } = this.#options
    const detail = { args, idempotencyKey: key, fencingToken, deadline: new Date(deadline).toISOString() }
    return traceparent === undefined ? detail : { ...detail, traceparent }
  }

  /** The deadline of a call that was sent before a restart. */
  async #deadlineOnStream(messageId: string): Promise<number | undefined> {
    const { streams, session, resumable } = this.#options
    const read = resumable ? await streams.question(session, messageId) : undefined
    if (read?.kind !== 'question' || !('message' in read.question)) return undefined
    const { detail } = read.question.message.content.body as { detail: { deadline?: string } }
    const deadline = Date.parse(detail.deadline ?? '')
    return Number.isNaN(deadline) ? undefined : deadline
  }

  /** The reply. `undefined` if it did not arrive in time. Throws the signal's reason if the run only stops here. */
  async #reply(messageId: string, deadline: number): Promise<HilReply | undefined> {
    const { streams, session, signal, resumable } = this.#options
    for (let failures = 0; ; ) {
      const left = Math.max(0, deadline - Date.now())
      try {
        const read = await streams.takeReply(session, messageId, { waitMs: left, signal })
        if (read.kind === 'reply') return read.reply
        if (read.kind === 'missing') throw new HilMsgStreamMissingError(session)
        // Streams that were shut down wake their waiters early. A ping then throws.
        if (!signal.aborted && left > 0 && Date.now() < deadline) await streams.ping()
        failures = 0
      } catch (error) {
        if (!(error instanceof StreamsFailed)) throw error
        await pause(Math.min(5_000, left, 100 * 2 ** failures++), { signal })
      }
      // A resumed run will find the call on the stream.
      if (signal.aborted && resumable && !(signal.reason instanceof HitlAborted)) throw signal.reason
      if (signal.aborted || Date.now() >= deadline) return undefined
    }
  }

  /** Retracts the question and tells the client to stop. If a reply came first, it counts. */
  async #giveUp(messageId: string, content: HilInterruptContent): Promise<HilReply> {
    const { streams, session, signal, timeoutSeconds } = this.#options
    const notice = retraction({ messageId, content }, signal.aborted ? 'cancelled' : 'timeout')
    if (!(await streams.retract(session, messageId, { notice }))) {
      const read = await streams.takeReply(session, messageId, { waitMs: 0 })
      if (read.kind === 'reply') return read.reply
    }
    if (signal.aborted) throw signal.reason
    throw this.#failed(`its client did not answer within ${timeoutSeconds} s; whether it took effect is not known`)
  }

  /** Retracts the questions of earlier attempts: nobody waits for them. */
  async #takeBackEarlierAttempts(): Promise<void> {
    const { streams, session, key, attempt } = this.#options
    for (let earlier = 1; earlier < attempt; earlier++) {
      await streams.retract(session, derivedMessageId('remote', key, earlier, 0))
    }
  }

  #result(reply: HilReply): JsonValue {
    if (typeof reply === 'string') return reply
    const keys = Object.keys(reply)
    if (keys.length === 1 && typeof reply.error === 'string') throw this.#failed(reply.error)
    return keys.length === 1 && reply.result !== undefined ? reply.result : reply
  }

  #failed(problem: string): RemoteToolFailed {
    return new RemoteToolFailed(this.#options.toolName, problem)
  }
}
