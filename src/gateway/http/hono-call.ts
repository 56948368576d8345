import type { Context } from 'hono'
import type { Caller } from '../auth/auth.ts'
import type { HttpCall } from './call.ts'

/** The request as Node's server has it; other servers have none. */
interface Incoming {
  readonly readableDidRead?: boolean
  readonly socket?: { readonly remoteAddress?: string }
}

/** A request that Hono has routed. */
export class HonoCall implements HttpCall {
  readonly #req: Context['req']
  readonly #incoming: Incoming | undefined
  /** A function of its own: whoever gets a call may take this from it. */
  readonly header: HttpCall['header']
  readonly consumed: boolean
  caller?: Caller

  constructor({ req, env }: Context) {
    this.#req = req
    this.header = (name) => req.header(name)
    this.#incoming = ((env ?? {}) as { incoming?: Incoming }).incoming
    // Looked at before anything here reads the body. Of other servers nothing is known.
    this.consumed = this.#incoming?.readableDidRead === true
  }

  get request(): Request {
    return this.#req.raw
  }

  get path(): string {
    return this.#req.path
  }

  get address(): string | undefined {
    return this.#incoming?.socket?.remoteAddress
  }

  query(name: string): string | undefined {
    return this.#req.query(name)
  }

  queries(): Record<string, string> {
    return this.#req.query()
  }

  param(name: string): string {
    const value = this.#req.param(name)
    if (value === undefined) throw new Error(`the path has no parameter ${name}`)
    return value
  }
}
