import { pause } from '../ports/clock.ts'
import type { ReplyRead, Streams } from '../ports/streams.ts'
import {
  HilInterruptCancelled,
  HilMsgStreamMissingError,
  InputInvalid,
  StreamsFailed,
} from '../protocol/errors/errors.ts'
import type { HilInterruptContent, HilMessage, HilReply } from '../protocol/hil/hil.ts'
import { retraction } from '../protocol/hil/hil-message.ts'
import { uuidSource } from '../protocol/uuid.ts'
import { checkInterruptContent, checkOptions, checkStream } from './content.ts'
import { replyJsonSchema } from './reply-json-schema.ts'
import { fitReply, type ReplySchema } from './reply-schema.ts'

/** Where a question goes and how long to wait for its answer. */
export interface InterruptOptions<TOutput = HilReply> {
  /** The session whose person is asked. */
  stream: string
  streams: Streams
  /** The length of one timeout. Default 3600. */
  timeoutSeconds?: number
  /** How many timeouts pass before `interrupt` gives up. Default 6, which makes six hours. */
  timeoutRetry?: number
  /** Gives up when it fires. */
  signal?: AbortSignal
  /**
   * The schema of the answer. If it converts to JSON Schema, that is sent with the question: gateways refuse an answer that does not fit, and the
   * question stays open. A misfit that only the schema itself detects is thrown as `HilReplyInvalid`; the question is not asked again.
   */
  schema?: ReplySchema<TOutput>
}

/**
 * Asks a person in another process and waits for the answer: a string or an object, or the output of `schema`.
 *
 * The question is sent once; a timeout does not send it again. After the last timeout, or when the signal fires, the question is retracted and
 * `HilInterruptCancelled` is thrown. An answer that was given before that is returned. Throws `HilMsgStreamMissingError` if the session is gone, at
 * the start or later. An unreachable backend is retried while waiting.
 */
export async function interrupt<TOutput = HilReply>(
  content: HilInterruptContent,
  options: InterruptOptions<TOutput>,
): Promise<TOutput> {
  checkOptions('interrupt', options, OPTIONS)
  checkStream('interrupt', options.stream)
  checkInterruptContent(content)
  const { stream, streams, timeoutSeconds = 3600, timeoutRetry = 6, signal, schema } = options
  if (!(timeoutSeconds > 0)) throw new InputInvalid('timeoutSeconds must be a number above 0.')
  if (!Number.isInteger(timeoutRetry) || timeoutRetry < 1) {
    throw new InputInvalid('timeoutRetry must be an integer above 0.')
  }
  const question: Question = { stream, messageId: uuidSource()(), content, streams, signal }
  if (signal?.aborted) throw new HilInterruptCancelled(question, 'signal', signal.reason)
  await send(question, schema)
  const reply = await replyTo(question, { timeoutSeconds, timeoutRetry })
  return schema ? fitReply(schema, { stream, messageId: question.messageId, reply }) : (reply as TOutput)
}

const OPTIONS = ['stream', 'streams', 'timeoutSeconds', 'timeoutRetry', 'signal', 'schema']

interface Question {
  readonly stream: string
  readonly messageId: string
  readonly content: HilInterruptContent
  readonly streams: Streams
  readonly signal: AbortSignal | undefined
}

async function send(question: Question, schema: ReplySchema | undefined): Promise<void> {
  const { stream, messageId, streams, content } = question
  const replySchema = schema && replyJsonSchema(schema)
  const message: HilMessage = {
    msg_id: messageId,
    msg_type: 'HIL_interrupt_request',
    content,
    ...(replySchema ? { reply_schema: replySchema } : {}),
    meta: { transient: true },
  }
  try {
    await streams.send(stream, message)
  } catch (error) {
    // The question may have been stored before the connection broke, and nobody waits for its answer.
    const notice = retraction(question, 'cancelled')
    if (error instanceof StreamsFailed) await streams.retract(stream, messageId, { notice }).catch(() => false)
    throw error
  }
}

async function replyTo(
  question: Question,
  { timeoutSeconds, timeoutRetry }: { timeoutSeconds: number; timeoutRetry: number },
): Promise<HilReply> {
  for (let passed = 0; passed < timeoutRetry && !question.signal?.aborted; passed++) {
    const read = await takeUntil(question, performance.now() + timeoutSeconds * 1000)
    if (read.kind === 'reply') return read.reply
    if (read.kind === 'missing') throw new HilMsgStreamMissingError(question.stream)
    if (read.kind === 'unknown') throw new HilInterruptCancelled(question, 'retracted')
  }
  return giveUp(question, question.signal?.aborted ? 'signal' : 'timeout')
}

/** Waits for the reply during one timeout. */
async function takeUntil(question: Question, until: number): Promise<ReplyRead> {
  const { stream, messageId, streams, signal } = question
  for (let failures = 0; ; ) {
    const left = Math.max(0, until - performance.now())
    try {
      const wait = { waitMs: left, orRetracted: true, ...(signal && { signal }) }
      const read = await streams.takeReply(stream, messageId, wait)
      // Streams that were shut down release their waiters early; `ping` then fails.
      if (read.kind !== 'empty' || signal?.aborted || performance.now() >= until) return read
      await streams.ping()
      await pause(Math.min(left, LEAST_PAUSE_MS), { signal })
    } catch (error) {
      if (!(error instanceof StreamsFailed)) throw error
      await pause(Math.min(left, LEAST_PAUSE_MS * 2 ** Math.min(failures++, 6)), { signal })
    }
    if (signal?.aborted || performance.now() >= until) return { kind: 'empty' }
  }
}

const LEAST_PAUSE_MS = 100

/** Retracts the question. Returns its answer if it was answered first. */
async function giveUp(question: Question, reason: 'timeout' | 'signal'): Promise<HilReply> {
  const { stream, messageId, streams, signal } = question
  try {
    const notice = retraction(question, reason === 'timeout' ? 'timeout' : 'cancelled')
    if (!(await streams.retract(stream, messageId, { notice }))) {
      const read = await streams.takeReply(stream, messageId, { waitMs: 0 })
      if (read.kind === 'reply') return read.reply
      if (read.kind === 'missing') throw new HilMsgStreamMissingError(stream)
    }
  } catch (error) {
    if (error instanceof HilMsgStreamMissingError) throw error
    throw new HilInterruptCancelled(question, reason, error)
  }
  throw new HilInterruptCancelled(question, reason, reason === 'signal' ? signal?.reason : undefined)
}
