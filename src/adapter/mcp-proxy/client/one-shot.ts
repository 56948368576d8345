import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js'

const KEEP_ALIVE_MS = 15_000

/**
 * A transport for one request of the protocol without sessions: it is answered by one event stream, which carries the notifications about it and ends with its
 * response. Closing the stream cancels the request.
 */
export class OneShot implements Transport {
  readonly #request: JSONRPCRequest
  readonly #encoder = new TextEncoder()
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #timer: NodeJS.Timeout | undefined
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void

  constructor(request: JSONRPCRequest) {
    this.#request = request
  }

  async start(): Promise<void> {}

  /** Hands the request in. Its response is the stream. */
  respond(): Response {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller
        this.#timer = setInterval(() => this.#write(': waiting\n\n'), KEEP_ALIVE_MS)
        this.#timer.unref()
        this.onmessage?.(this.#request)
      },
      cancel: () => this.close(),
    })
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }
    return new Response(body, { headers })
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
    if (!('method' in message)) await this.close()
  }

  async close(): Promise<void> {
    if (!this.#controller) return
    const controller = this.#controller
    this.#controller = undefined
    clearInterval(this.#timer)
    try {
      controller.close()
    } catch {
      // The client has closed it.
    }
    this.onclose?.()
  }

  #write(text: string): void {
    this.#controller?.enqueue(this.#encoder.encode(text))
  }
}
