import { HoldpointError, ModelFailed } from '../../protocol/errors/errors.ts'
import { wellFormed } from '../../protocol/json/json.ts'

/** The message for a cut connection. */
export const BROKEN_OFF = 'broke off before its end'

/** The answer ended early without an error from the provider. */
export class AnswerStopped extends Error {
  override readonly name: string = 'AnswerStopped'
  readonly isRetryable: boolean

  constructor(problem: string, isRetryable: boolean) {
    super(`the answer ${problem}`)
    this.isRetryable = isRetryable
  }
}

/** The fields that are read of any error. The SDK's error classes may come from another copy, or not be installed. */
interface ErrorShape {
  name?: unknown
  message?: unknown
  code?: unknown
  type?: unknown
  cause?: unknown
  isRetryable?: unknown
  statusCode?: unknown
  status?: unknown
  responseHeaders?: unknown
}

const NETWORK =
  /^(ECONNRESET|ECONNREFUSED|ECONNABORTED|ETIMEDOUT|EPIPE|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ENETDOWN|UND_ERR_\w+|Connection(Refused|Closed)|FailedToOpenSocket)$/

/** A retry of an empty or garbled answer may succeed. */
const GARBLED = ['AI_InvalidResponseDataError', 'AI_EmptyResponseBodyError', 'AI_NoContentGeneratedError']

/** Names of transient errors inside a stream, which have no status. */
const PASSING = /overloaded|rate_limit|server_error|api_error|timeout|unavailable/

/** Whether a retry may help. */
export function mayPass(error: unknown): boolean {
  if (HoldpointError.isInstance(error)) return false
  const shape = shapeOf(error)
  if (typeof shape.isRetryable === 'boolean') return shape.isRetryable
  const status = statusOf(error)
  if (status !== undefined) return status === 408 || status === 409 || status === 425 || status === 429 || status >= 500
  if (isNetwork(error) || GARBLED.includes(String(shape.name))) return true
  return [shape.type, shape.code].some((word) => typeof word === 'string' && PASSING.test(word))
}

/** The delay that the provider asks for, if any. `now` is this machine's time. */
export function askedDelayMs(error: unknown, now: number): number | undefined {
  for (const { responseHeaders } of chainOf(error)) {
    const headers = (responseHeaders ?? {}) as Record<string, unknown>
    const ms = Number.parseFloat(String(headers['retry-after-ms'] ?? ''))
    if (ms >= 0) return ms
    const after = headers['retry-after']
    if (typeof after !== 'string') continue
    const delay = /^\s*\d+(\.\d+)?\s*$/.test(after) ? Number(after) * 1000 : Date.parse(after) - now
    if (!Number.isNaN(delay)) return Math.max(0, delay)
  }
  return undefined
}

/** Converts a failure to an error that names the model and says what to do. Errors of holdpoint stay as they are. */
export function toModelFailed(error: unknown, model: string, attempts: number): HoldpointError {
  if (HoldpointError.isInstance(error)) return error
  const retryable = mayPass(error)
  const status = statusOf(error)
  const said = `${status === undefined ? '' : `status ${status}, `}${wordsOf(error)}`.replace(/[.\s]+$/, '')
  const tried = attempts > 1 ? ` (asked ${attempts} times)` : ''
  const problem = `${model}${tried}: ${said}${adviceFor(error, status)}`
  return new ModelFailed(error, { problem: wellFormed(problem), retryable })
}

function adviceFor(error: unknown, status: number | undefined): string {
  if (status === 401 || status === 403) return '. Check the API key and its permissions'
  if (status === 404) return '. Check the model id and the provider URL'
  const asked = askedDelayMs(error, Date.now())
  if (asked !== undefined && asked > 0) return `. The provider asks to wait for ${Math.ceil(asked / 1000)} s`
  if (status === 429) return '. Wait for the rate limit of the provider to reset, or raise it'
  if (status !== undefined && status >= 400 && status < 500 && !mayPass(error))
    return '. The provider will refuse the same request again: change the settings of the model or the conversation'
  if (status === undefined && isNetwork(error)) return '. Check the provider URL and the network'
  return ''
}

function isNetwork(error: unknown): boolean {
  return chainOf(error).some(
    ({ code, message }) =>
      (typeof code === 'string' && NETWORK.test(code)) || /^(fetch failed|terminated)$/i.test(String(message)),
  )
}

function statusOf(error: unknown): number | undefined {
  const { statusCode, status } = shapeOf(error)
  const found = [statusCode, status].find((code) => typeof code === 'number' && code >= 400)
  return found as number | undefined
}

function wordsOf(error: unknown): string {
  if (typeof error === 'string') return error
  const { message } = shapeOf(error)
  if (typeof message === 'string' && message !== '') return message
  try {
    return JSON.stringify(error) ?? String(error)
  } catch {
    return String(error)
  }
}

function chainOf(error: unknown): ErrorShape[] {
  const chain: ErrorShape[] = []
  for (let next = error; typeof next === 'object' && next !== null && chain.length < 8; next = shapeOf(next).cause)
    chain.push(shapeOf(next))
  return chain
}

function shapeOf(error: unknown): ErrorShape {
  return typeof error === 'object' && error !== null ? (error as ErrorShape) : {}
}
