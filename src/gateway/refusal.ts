import { errorCodes, HoldpointError } from '../protocol/errors/error-base.ts'

/** Why something was not done: an HTTP status and a message for the caller. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 410 | 413 | 422 | 429 | 500 | 503
  readonly detail: string
  /** The error code in `/v1`. Default: by the status. */
  readonly code?: string
  /** More members of the refusal in `/v1`. */
  readonly more?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

/** The outcome of an attempt. */
export type Result<T> = { ok: true; value: T } | { ok: false; refusal: Refusal }

/** Makes a refusal. */
export function refuse(
  status: Refusal['status'],
  detail: string,
  headers?: Readonly<Record<string, string>>,
): { ok: false; refusal: Refusal } {
  return { ok: false, refusal: headers ? { status, detail, headers } : { status, detail } }
}

/** Marks a 404 as the gateway's own: what is `gone` will not come back. A proxy's 404 lacks it. */
const GONE_HEADER = 'holdpoint-gone'

/** The same refusal for a stream that is absent and one that the caller may not see, so that it reveals nothing. */
export const NO_STREAM = refuse(
  404,
  'There is no such message stream: it was never opened, was closed, has expired, or is not yours.',
  { [GONE_HEADER]: 'stream' },
)

/** The question is not there, or not any more. */
export const NO_QUESTION = refuse(
  404,
  'There is no such open question: it was never asked, was answered, or was withdrawn.',
  { [GONE_HEADER]: 'question' },
)

/** The refusal for an internal error. Its cause goes to the log only. */
export function troubleOf(error: unknown): Refusal {
  const { status, retryable } = HoldpointError.isInstance(error)
    ? errorCodes[error.code]
    : { status: 500, retryable: false }
  if (status === 503 || retryable)
    return { status: 503, detail: 'This cannot be done right now. Try again.', headers: { 'retry-after': '1' } }
  return { status: 500, detail: 'Something went wrong in this server. Its log says what.' }
}
