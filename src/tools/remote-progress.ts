import type { Streams } from '../ports/streams.ts'
import type { HilInterruptContent } from '../protocol/hil/hil.ts'
import type { JsonValue } from '../protocol/json/json.ts'
import { uuidSource } from '../protocol/uuid.ts'

/** How long to wait at a time for a client to say how far it is. */
const WAIT_MS = 60_000

/**
 * Lets a client say how far it is. Clients can only reply, so there is always one question of type `RemoteToolProgress` for them to reply to:
 * each reply is told, and makes room for the next. How far it is matters less than that it goes on: a failure here ends the telling, not the call.
 */
export class RemoteProgress {
  readonly #line: { streams: Streams; session: string; toolName: string }
  readonly #call: { messageId: string; onProgress(progress: JsonValue): void; signal: AbortSignal }
  readonly #newId = uuidSource()
  /** Settles when nothing is told any more, and the last question is off the stream. Never rejects. */
  readonly ended: Promise<void>

  constructor(
    line: { streams: Streams; session: string; toolName: string },
    call: { messageId: string; onProgress(progress: JsonValue): void; signal: AbortSignal },
  ) {
    this.#line = line
    this.#call = call
    this.ended = this.#listen().catch(() => undefined)
  }

  async #listen(): Promise<void> {
    const { streams, session } = this.#line
    const { signal } = this.#call
    await this.#takeBackOld()
    while (!signal.aborted) {
      const slot = this.#newId()
      const content = this.#content('RemoteToolProgress', { call: this.#call.messageId })
      await streams.send(session, { msg_id: slot, msg_type: 'HIL_interrupt_request', content })
      try {
        await this.#hear(slot)
      } finally {
        await streams.retract(session, slot)
      }
    }
  }

  /** Tells one reply, if one comes before the end. */
  async #hear(slot: string): Promise<void> {
    const { streams, session } = this.#line
    const { signal, onProgress } = this.#call
    for (;;) {
      const read = await streams.takeReply(session, slot, { waitMs: WAIT_MS, signal })
      if (read.kind === 'missing' || (read.kind === 'empty' && signal.aborted)) return
      if (read.kind !== 'reply') continue
      const progress = typeof read.reply === 'string' ? read.reply : (read.reply.progress ?? read.reply)
      try {
        onProgress(progress)
      } catch {
        // A listener's failure is its own business.
      }
      const content = this.#content('Progress', progress)
      return void (await streams.send(session, { msg_id: this.#newId(), msg_type: 'Notification', content }))
    }
  }

  /** What a process that is gone left for the same call. */
  async #takeBackOld(): Promise<void> {
    const { streams, session } = this.#line
    const read = await streams.pending(session)
    for (const each of read.kind === 'messages' ? read.messages : []) {
      if (!('message' in each) || each.message.msg_type !== 'HIL_interrupt_request') continue
      const { type, detail } = each.message.content.body
      const old = type === 'RemoteToolProgress' && (detail as { call?: unknown }).call === this.#call.messageId
      if (old) await streams.retract(session, each.message.msg_id)
    }
  }

  #content(type: string, detail: JsonValue): HilInterruptContent & { body: { [key: string]: JsonValue } } {
    const { toolName } = this.#line
    return {
      source: 'agent_tool_call',
      body: { tool_name: toolName, type, tool_exec_uuid: this.#call.messageId, detail },
    }
  }
}
