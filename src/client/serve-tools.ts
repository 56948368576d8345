import type { HilReply } from '../protocol/hil/hil.ts'
import type { JsonObject, JsonValue } from '../protocol/json/json.ts'
import { ClientError } from './client-error.ts'
import { type ClientInterrupt, type ClientMessage, retractedBy } from './message.ts'
import type { RespondOutcome } from './respond.ts'

/** What a handler gets besides the arguments. */
export interface RemoteCall {
  /** Fires when the asker no longer waits, or serving ends. */
  readonly signal: AbortSignal
  /** The same for every attempt at this call. Pass it on to whatever the handler calls. */
  readonly idempotencyKey: string
  /** Grows with every process that takes the thread over: a system that has seen a higher one can refuse this call. */
  readonly fencingToken?: number
  /** The W3C trace context of the call, if the application traces. Pass it on to whatever the handler calls. */
  readonly traceparent?: string
  /** Reports progress to the application, if the tool wants it. Of several reports in a row the last one counts. */
  progress(value: JsonValue): void
}

/** Runs a tool at the client. Its return value is the tool's result; the model reads what it throws as a failure. */
// biome-ignore lint/suspicious/noExplicitAny: the arguments are what the tool's schema says, which is known to the application
export type RemoteHandler = (args: any, call: RemoteCall) => unknown

/** Handlers by tool name. */
export type RemoteHandlers = { [toolName: string]: RemoteHandler }

/** How many finished calls are remembered, so that a repeated request does not run the tool again. */
const REMEMBERED = 1000

/** What the application sends with a call. */
type AskedCall = Pick<RemoteCall, 'idempotencyKey' | 'fencingToken' | 'traceparent'> & { readonly args: JsonObject }

interface Work {
  readonly stop: AbortController
  /** The questions that wait for it: more than one if it was requested again while it ran. */
  readonly messageIds: Set<string>
  /** Open progress questions of the application; each takes one answer. */
  readonly slots: string[]
  progress: { value: JsonValue } | undefined
}

/** Runs remote tools: each call once, however often it is requested. */
export class ToolServer {
  readonly #handlers: RemoteHandlers
  readonly #respond: (messageId: string, reply: HilReply) => Promise<RespondOutcome>
  readonly #onFailure: () => void
  /** By idempotency key. */
  readonly #work = new Map<string, Work>()
  readonly #replies = new Map<string, HilReply>()
  #failure: { error: unknown } | undefined

  constructor(
    handlers: RemoteHandlers,
    respond: (messageId: string, reply: HilReply) => Promise<RespondOutcome>,
    onFailure: () => void,
  ) {
    this.#handlers = handlers
    this.#respond = respond
    this.#onFailure = onFailure
  }

  /** Handles a message of the stream. */
  take(message: ClientMessage): void {
    if (message.kind === 'notification') return this.#takeBack(retractedBy(message))
    const { type, tool_name: tool } = message.content.body
    if (!Object.hasOwn(this.#handlers, tool)) return
    if (type === 'RemoteTool') this.#start(message)
    if (type === 'RemoteToolProgress') this.#offer(message)
  }

  /** Aborts running handlers; their results are not sent. Throws if an earlier result could not be delivered. */
  end(): void {
    for (const { stop } of this.#work.values()) stop.abort(new Error('The client no longer serves tools.'))
    if (this.#failure) throw this.#failure.error
  }

  #start(message: ClientInterrupt): void {
    const asked = message.content.body.detail as unknown as AskedCall
    const key = asked.idempotencyKey
    const work = this.#work.get(key)
    if (work) return void work.messageIds.add(message.id)
    const known = this.#replies.get(key)
    const done = known === undefined ? this.#run(message, asked) : this.#deliver(message.id, known)
    done.catch((error: unknown) => {
      // Anything else is the reason for which the serving was ended.
      if (error instanceof ClientError) this.#failure ??= { error }
      this.#onFailure()
    })
  }

  async #run({ id, content }: ClientInterrupt, asked: AskedCall): Promise<void> {
    const { args, idempotencyKey, fencingToken, traceparent } = asked
    const work: Work = { stop: new AbortController(), messageIds: new Set([id]), slots: [], progress: undefined }
    this.#work.set(idempotencyKey, work)
    const handler = this.#handlers[content.body.tool_name] as RemoteHandler
    const call: RemoteCall = {
      signal: work.stop.signal,
      idempotencyKey,
      ...(fencingToken === undefined ? {} : { fencingToken }),
      ...(traceparent === undefined ? {} : { traceparent }),
      progress: (value) => {
        work.progress = { value }
        this.#report(work)
      },
    }
    const reply = await replyOf(() => handler(args, call))
    // It is done: a retraction from now on must not abort it.
    this.#work.delete(idempotencyKey)
    // The question is gone, and nobody waits for the result.
    if (work.stop.signal.aborted) return
    this.#remember(idempotencyKey, reply)
    await Promise.all([...work.messageIds].map((messageId) => this.#deliver(messageId, reply)))
  }

  #takeBack(messageId: string | undefined): void {
    for (const { messageIds, stop } of messageId === undefined ? [] : this.#work.values()) {
      if (messageIds.delete(messageId as string) && messageIds.size === 0)
        stop.abort(new Error('The call was taken back.'))
    }
  }

  async #deliver(messageId: string, reply: HilReply): Promise<void> {
    try {
      await this.#respond(messageId, reply)
    } catch (error) {
      if (!(error instanceof ClientError) || (error.status !== 400 && error.status !== 413)) throw error
      await this.#respond(messageId, { error: `The result could not be sent: ${error.detail}` })
    }
  }

  #offer({ id, content }: ClientInterrupt): void {
    const { call } = content.body.detail as { call: string }
    for (const work of this.#work.values()) {
      if (!work.messageIds.has(call) || work.slots.includes(id)) continue
      work.slots.push(id)
      this.#report(work)
    }
  }

  #report(work: Work): void {
    const { progress } = work
    const slot = progress && work.slots.shift()
    if (slot === undefined) return
    work.progress = undefined
    // Progress is best effort.
    this.#respond(slot, { progress: progress?.value ?? null }).catch(() => undefined)
  }

  #remember(key: string, reply: HilReply): void {
    this.#replies.set(key, reply)
    const [oldest] = this.#replies.keys()
    if (this.#replies.size > REMEMBERED && oldest !== undefined) this.#replies.delete(oldest)
  }
}

async function replyOf(work: () => unknown): Promise<HilReply> {
  try {
    const result = await work()
    // A value that JSON cannot represent would arrive as something else.
    return JSON.parse(JSON.stringify({ result: result ?? null })) as JsonObject
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}
