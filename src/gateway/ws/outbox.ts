import type { WireMessage } from '../../protocol/hil.ts'
import { rpcRequest } from './json-rpc.ts'

/** How many messages may be on their way without having been acknowledged. */
const WINDOW = 16

interface Sent {
  readonly text: string
  readonly messageId: string
  timer: NodeJS.Timeout
}

/**
 * What was sent over one connection and not acknowledged yet. Each is sent again after a while, until it is acknowledged or the
 * connection ends.
 */
export class Outbox {
  readonly #send: (text: string) => void
  readonly #resendMs: number
  readonly #sent = new Map<number, Sent>()
  #lastId = 0
  #wake: (() => void) | undefined
  #closed = false

  constructor(send: (text: string) => void, resendMs: number) {
    this.#send = send
    this.#resendMs = resendMs
  }

  /** Whether there is room for one more; waits for it so long. There always is when it was closed. */
  async room(waitMs: number): Promise<boolean> {
    const deadline = performance.now() + waitMs
    for (let left = waitMs; this.#sent.size >= WINDOW && !this.#closed; left = deadline - performance.now()) {
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

  send({ msg_id: messageId, msg_type: method, content }: WireMessage): void {
    if (this.#closed) return
    const id = ++this.#lastId
    const text = rpcRequest(id, method, { msg_id: messageId, msg: content })
    this.#sent.set(id, { text, messageId, timer: setInterval(() => this.#send(text), this.#resendMs) })
    this.#send(text)
  }

  /** The other side said that it has a message. */
  acknowledge(id: unknown): void {
    const sent = typeof id === 'number' ? this.#sent.get(id) : undefined
    if (!sent) return
    clearInterval(sent.timer)
    this.#sent.delete(id as number)
    this.#wake?.()
  }

  /** A question was answered, so it must have arrived. */
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
