import type { Streams } from '../ports/streams.ts'
import type { HilInterruptContent } from '../protocol/hil/hil.ts'
import type { JsonValue } from '../protocol/json/json.ts'
import { uuidSource } from '../protocol/uuid.ts'

/** How long one wait for a progress report lasts. */
const WAIT_MS = 60_000

/**
 * Receives progress reports from a client. Clients can only reply, so there is always one open question of type
 * `RemoteToolProgress`; each reply is reported and replaced by the next question. A failure here ends the reports, not
 * the call.
 */
export class RemoteProgress {
  readonly #line: { streams: Streams; session: string; toolName: string }
  readonly #call: { messageId: string; onProgress(progress: JsonValue): void; signal: AbortSignal }
  readonly #newId = uuidSource()
  /** Resolves when no more reports come and the last question is off the stream. Never rejects. */
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

  /** Reports one reply, if one arrives before the end. */
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
        // A listener's failure does not affect the call.
      }
      const content = this.#content('Progress', progress)
      return void (await streams.send(session, { msg_id: this.#newId(), msg_type: 'Notification', content }))
    }
  }

  /** Retracts the questions that a process which is gone left for the same call. */
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
