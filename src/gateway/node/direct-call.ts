import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../auth/auth.ts'
import type { HttpCall, HttpRequest, RequestHeaders } from '../http/call.ts'
import { rawHeader } from './raw-header.ts'

const decoder = new TextDecoder()

/** A request of Node's server that has arrived as a whole, read without a `Request`. Its path has no query and no parameters. */
export class DirectCall implements HttpCall, HttpRequest, RequestHeaders {
  readonly #incoming: IncomingMessage
  readonly #outgoing: ServerResponse
  #body: Buffer | null | undefined
  #gone: AbortController | undefined
  /** A function of its own: whoever gets a call may take this from it. */
  readonly header: HttpCall['header']
  caller?: Caller

  constructor(incoming: IncomingMessage, outgoing: ServerResponse) {
    this.#incoming = incoming
    this.header = (name) => rawHeader(incoming, name) ?? undefined
    this.#outgoing = outgoing
    // Now: of a client that goes away meanwhile, nothing could be read later.
    this.#body = incoming.read() as Buffer | null
  }

  get request(): HttpRequest {
    return this
  }

  get headers(): RequestHeaders {
    return this
  }

  get method(): string {
    return this.#incoming.method ?? ''
  }

  get path(): string {
    return this.#incoming.url ?? ''
  }

  get plainHost(): string | undefined {
    return this.get('host') ?? undefined
  }

  get url(): string {
    return `http://${this.get('host') ?? ''}${this.path}`
  }

  get address(): string | undefined {
    return this.#incoming.socket.remoteAddress
  }

  get(name: string): string | null {
    return rawHeader(this.#incoming, name)
  }

  query(): undefined {
    return undefined
  }

  queries(): Record<string, string> {
    return {}
  }

  param(name: string): never {
    throw new Error(`the path has no parameter ${name}`)
  }

  get consumed(): false {
    return false
  }

  get bodyUsed(): boolean {
    return this.#body === undefined
  }

  get body(): null {
    return null
  }

  /** Taken once: a request that waits does not keep it. */
  get arrived(): string {
    const body = this.#body
    this.#body = undefined
    return body ? decoder.decode(body) : ''
  }

  async text(): Promise<string> {
    return this.arrived
  }

  /** Fires when the client left before it had its answer. */
  get signal(): AbortSignal {
    if (this.#gone) return this.#gone.signal
    const gone = new AbortController()
    this.#gone = gone
    if (this.#outgoing.destroyed) gone.abort()
    else
      this.#outgoing.once('close', () => {
        if (!this.#outgoing.writableFinished) gone.abort()
      })
    return gone.signal
  }
}
