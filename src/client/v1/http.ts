import { type BackOffOptions, backOffMs, sleep } from '../back-off.ts'
import { ClientError, TryAgain } from '../client-error.ts'
import { fetchProblem } from '../http-facts.ts'
import { type TokenSource, tokenOf } from '../token.ts'
import { ApiError, NetworkError } from './api-error.ts'
import { readJson, refusalOf } from './response.ts'

/** How `/v1` is reached. */
export interface HttpOptions {
  url: string
  token: TokenSource | undefined
  fetch: typeof globalThis.fetch | undefined
  backoff: BackOffOptions
  timeoutMs: number
  tries: number
  onSignedOut: ((error: ApiError) => void) | undefined
  traceparent: (() => string | undefined) | undefined
}

/** One call. */
export interface ApiCall {
  /** The pieces of the path below `/v1`. */
  path: readonly string[]
  /** Default GET. */
  method?: 'GET' | 'POST' | 'DELETE'
  query?: object | undefined
  body?: object
  headers?: Record<string, string>
  /** Sent once. For a call that does something each time it arrives. */
  once?: boolean
  /** A refused credential is the answer to this call, not the end of the sign-in. */
  signsIn?: boolean
  timeoutMs?: number
  signal?: AbortSignal | undefined
}

interface Addressed extends ApiCall {
  address: string
}

/** A longer `Retry-After` is not waited for: the refusal is thrown. */
const LONGEST_PAUSE_MS = 30_000

/** Sends calls with the credential, tries them again, and turns failures into `ApiError` and `NetworkError`. */
export class Http {
  readonly options: HttpOptions

  constructor(options: HttpOptions) {
    this.options = options
  }

  /** The JSON of a response; `undefined` of an empty one. */
  json<T>(call: ApiCall): Promise<T> {
    return this.#persist(call, readJson) as Promise<T>
  }

  /** A response that is read as it comes: only its head has a timeout. */
  open(call: ApiCall): Promise<Response> {
    return this.#persist(call, async (response) => response)
  }

  async #persist<T>(call: ApiCall, read: (response: Response) => Promise<T>): Promise<T> {
    const { tries, backoff } = this.options
    const { signal } = call
    const address = this.#address(call)
    for (let failures = 1; ; failures++) {
      signal?.throwIfAborted()
      try {
        return await this.#attempt({ ...call, address }, read)
      } catch (error) {
        signal?.throwIfAborted()
        const pauseMs = pauseAfter(error)
        if (call.once || failures >= tries || pauseMs === undefined || pauseMs > LONGEST_PAUSE_MS) throw error
        await sleep(Math.max(backOffMs(failures, backoff), pauseMs), signal)
      }
    }
  }

  /** One try. A token that is refused is asked for once more. */
  async #attempt<T>(call: Addressed, read: (response: Response) => Promise<T>): Promise<T> {
    const renews = typeof this.options.token === 'function'
    for (let renewed = !renews; ; renewed = true) {
      try {
        return await this.#send(call, read)
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 401 || call.signsIn) throw error
        if (!renewed) continue
        this.options.onSignedOut?.(error)
        throw error
      }
    }
  }

  async #send<T>(call: Addressed, read: (response: Response) => Promise<T>): Promise<T> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), call.timeoutMs ?? this.options.timeoutMs)
    const signal = call.signal ? AbortSignal.any([call.signal, late.signal]) : late.signal
    try {
      // Called without `this`: browsers refuse a fetch that is a method of anything but the window.
      const { fetch = globalThis.fetch } = this.options
      const response = await fetch(call.address, { ...(await this.#head(call, signal)), signal })
      if (!response.ok) throw await refusalOf(response)
      return await read(response)
    } catch (error) {
      call.signal?.throwIfAborted()
      if (error instanceof ApiError) throw error
      if (late.signal.aborted)
        throw new NetworkError('The gateway did not answer in time.', { late: true, cause: error })
      const problem = error instanceof TryAgain ? error.message : unreachable(call.address, error)
      throw new NetworkError(problem, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  #address({ path, query = {} }: ApiCall): string {
    const given = Object.entries(query).filter(([, value]) => value !== undefined)
    const search = new URLSearchParams(given.map(([key, value]): [string, string] => [key, String(value)]))
    return `${this.options.url.replace(/\/+$/, '')}/v1/${path.map(pieceOf).join('/')}${given.length > 0 ? `?${search}` : ''}`
  }

  /** With a token no cookie is sent. Without one the cookie of a sign-in counts, and writes say that a script of the page sent them. */
  async #head({ method = 'GET', body, headers }: ApiCall, signal: AbortSignal): Promise<RequestInit> {
    const { token } = this.options
    const trace = this.options.traceparent?.()
    const credential: Record<string, string> =
      token !== undefined
        ? { authorization: `Bearer ${await tokenOf(token, signal)}` }
        : method === 'GET'
          ? {}
          : { 'holdpoint-csrf': '1' }
    return {
      method,
      credentials: token === undefined ? 'same-origin' : 'omit',
      headers: {
        ...headers,
        ...(trace ? { traceparent: trace } : {}),
        ...credential,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }
  }
}

/** A piece of a path. Dots alone would be taken out of it, and the call would go elsewhere. */
function pieceOf(id: string): string {
  if (id === '' || id === '.' || id === '..') throw new ClientError('invalid_options', `"${id}" cannot be an id.`)
  return encodeURIComponent(id)
}

/** How long to wait before another try at least; `undefined` if another try changes nothing. */
function pauseAfter(error: unknown): number | undefined {
  if (error instanceof NetworkError) return 0
  if (!(error instanceof ApiError)) return undefined
  const passes = error.status >= 500 || error.status === 429 || error.status === 408
  return passes ? error.retryAfterMs : undefined
}

/** Says which gateway does not answer. A page's own gateway has no address. */
function unreachable(address: string, error: unknown): string {
  const base = address.replace(/\/v1\/.*$/s, '')
  return `The gateway${base === '' ? '' : ` at ${base}`} cannot be reached: ${fetchProblem(error)}`
}
