import type { RequestItem } from '../../protocol/api/requests.ts'

/** What a gateway says about a call that it refused, besides the code. */
export interface Refused {
  detail: string
  /** The request as it is now, if the caller may see it: who decided what. */
  request?: RequestItem
  /** Problems of edited arguments or of a form. */
  problems?: readonly string[]
  /** How long to wait before another call: `Retry-After`. */
  retryAfterMs?: number
  cause?: unknown
}

/**
 * A gateway refused a call, or answered with something that is not its JSON (`unexpected_response`). `code` is the code of its error table.
 */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly request: RequestItem | undefined
  readonly problems: readonly string[] | undefined
  readonly retryAfterMs: number

  constructor(status: number, code: string, { detail, request, problems, retryAfterMs = 0, cause }: Refused) {
    super(`${detail} (HTTP ${status})`, cause === undefined ? undefined : { cause })
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.detail = detail
    this.request = request
    this.problems = problems
    this.retryAfterMs = retryAfterMs
  }
}

/** No response came, or it broke off. Whether the call arrived is unknown; a write can be repeated with the same idempotency key. */
export class NetworkError extends Error {
  /** Nothing came in time. */
  readonly late: boolean

  constructor(problem: string, { late = false, cause }: { late?: boolean; cause?: unknown } = {}) {
    super(problem, cause === undefined ? undefined : { cause })
    this.name = 'NetworkError'
    this.late = late
  }
}
