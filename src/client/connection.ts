import { type BackOffOptions, backOffMs, sleep } from './back-off.ts'
import { ClientError, TryAgain } from './client-error.ts'
import { fetchProblem, retryAfterMs } from './http-facts.ts'
import { type TokenSource, tokenOf } from './token.ts'

/** How a gateway is reached. */
export interface ConnectionOptions {
  /** Where the gateway is, with its path if it is mounted below one. */
  url: string
  /** The bearer token. A function is asked before each request, and once more when the gateway says 401. */
  token: TokenSource
  /** Default: the platform's own. */
  fetch?: typeof globalThis.fetch
  backoff?: BackOffOptions
}

/** One request. */
export interface Call {
  path: string
  /** Left out: a GET. */
  body?: object
  headers?: Record<string, string>
  /** The timeout for the response; for a streamed response, for its head. */
  timeoutMs: number
  signal?: AbortSignal | undefined
}

/** Sends requests with the token, and classifies failures. */
export class Connection {
  readonly #options: ConnectionOptions

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  /**
   * Resolves to 2xx responses and to a 404 of the gateway itself. Throws `TryAgain` for failures worth a retry, `ClientError` for others, and the
   * signal's reason when it fires. A 404 of anything else, such as a proxy during a deployment, is worth a retry.
   */
  async send(call: Call): Promise<Response> {
    let response = await this.#once(call)
    if (response.status === 401 && this.renewsToken) {
      await response.body?.cancel()
      response = await this.#once(call)
    }
    // An unread body would keep its connection.
    if (response.status === 404 && response.headers.has(GONE)) await response.body?.cancel()
    else if (!response.ok) throw await failureOf(response)
    return response
  }

  /** Waits before the next try, longer after each failure in a row. */
  pauseAfter(failures: number, { afterMs }: TryAgain, signal: AbortSignal | undefined): Promise<void> {
    return sleep(Math.max(backOffMs(failures, this.#options.backoff ?? {}), afterMs), signal)
  }

  /** Whether another token can be had when one is refused. */
  get renewsToken(): boolean {
    return typeof this.#options.token === 'function'
  }

  async #once({ path, body, headers, timeoutMs, signal }: Call): Promise<Response> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), timeoutMs)
    try {
      const token = await tokenOf(this.#options.token, signal ? AbortSignal.any([signal, late.signal]) : late.signal)
      // Called without `this`: browsers refuse a fetch that is a method of anything but the window.
      const { fetch = globalThis.fetch } = this.#options
      return await fetch(`${this.#options.url.replace(/\/+$/, '')}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: {
          ...headers,
          authorization: `Bearer ${token}`,
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
      })
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof TryAgain) throw error
      if (late.signal.aborted) throw new TryAgain('The gateway did not answer in time.', { late: true, cause: error })
      throw new TryAgain(fetchProblem(error), { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Marks a 404 as the gateway's own, and final. */
const GONE = 'holdpoint-gone'

const CODES = { 400: 'bad_request', 401: 'unauthorized', 403: 'forbidden' } as const

async function failureOf(response: Response): Promise<ClientError | TryAgain> {
  const { status } = response
  const detail = (await detailOf(response)) || 'The gateway refused the request.'
  if (status >= 500 || status === 429 || status === 408 || status === 404) {
    return new TryAgain(detail, { status, afterMs: retryAfterMs(response.headers.get('retry-after')) })
  }
  return new ClientError(CODES[status as keyof typeof CODES] ?? 'refused', detail, { status })
}

/** The gateway's own message about a failure. */
async function detailOf(response: Response): Promise<string> {
  const text = await response.text().catch(() => '')
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown }
    return typeof detail === 'string' ? detail : text.slice(0, 500)
  } catch {
    return text.slice(0, 500)
  }
}
