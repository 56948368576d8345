import type { WireMessage } from '../../protocol/hil/hil.ts'
import { rpcRequest } from './json-rpc.ts'

/** How many messages, and characters of all of them, may be sent before the first is acknowledged. One message always may. */
const WINDOW = 16
const WINDOW_CHARACTERS = 4 * 1_048_576

interface Sent {
  readonly text: string
  readonly messageId: string
  timer: NodeJS.Timeout
}

/** Where an outbox sends. */
export interface OutboxPeer {
  send(text: string): void
  /** Whether the peer has not read yet what was sent before. */
  isBehind(): boolean
}

/**
 * Messages that were sent over one connection and are not acknowledged yet. Each is sent again after a while, until it is acknowledged or the
 * connection ends. Nothing is sent again to a peer that is still reading: it would only fall further behind.
 */
export class Outbox {
  readonly #peer: OutboxPeer
  readonly #resendMs: number
  readonly #sent = new Map<number, Sent>()
  #characters = 0
  #lastId = 0
  #wake: (() => void) | undefined
  #closed = false

  constructor(peer: OutboxPeer, resendMs: number) {
    this.#peer = peer
    this.#resendMs = resendMs
  }

  /** WaitSlots up to `waitMs` for room for one more message; resolves to whether there is. A closed outbox always has room. */
  async room(waitMs: number): Promise<boolean> {
    const deadline = performance.now() + waitMs
    for (let left = waitMs; this.#isFull && !this.#closed; left = deadline - performance.now()) {
      if (left <= 0) return false
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    return true
  }

  get #isFull(): boolean {
    return this.#sent.size >= WINDOW || this.#characters >= WINDOW_CHARACTERS
  }

  send({ msg_id: messageId, msg_type: method, content }: WireMessage): void {
    if (this.#closed) return
    const id = ++this.#lastId
    const text = rpcRequest(id, method, { msg_id: messageId, msg: content })
    this.#sent.set(id, { text, messageId, timer: setInterval(() => this.#resend(text), this.#resendMs) })
    this.#characters += text.length
    this.#peer.send(text)
  }

  #resend(text: string): void {
    if (!this.#peer.isBehind()) this.#peer.send(text)
  }

  /** The peer acknowledged a message. */
  acknowledge(id: unknown): void {
    const sent = typeof id === 'number' ? this.#sent.get(id) : undefined
    if (!sent) return
    clearInterval(sent.timer)
    this.#sent.delete(id as number)
    this.#characters -= sent.text.length
    this.#wake?.()
  }

  /** An answer proves that its question has arrived. */
  answered(messageId: string): void {
    for (const [id, sent] of [...this.#sent]) if (sent.messageId === messageId) this.acknowledge(id)
  }

  close(): void {
    this.#closed = true
    for (const { timer } of this.#sent.values()) clearInterval(timer)
    this.#sent.clear()
    this.#wake?.()
  }
}
