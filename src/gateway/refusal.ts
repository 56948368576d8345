import { errorCodes, HoldpointError } from '../protocol/errors/error-base.ts'

/** Why something was not done: an HTTP status and a text for the caller. Every door words it in its own way. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 429 | 500 | 503
  readonly detail: string
  readonly headers?: Readonly<Record<string, string>>
}

/** What came of an attempt. */
export type Result<T> = { ok: true; value: T } | { ok: false; refusal: Refusal }

/** Says no. */
export function refuse(
  status: Refusal['status'],
  detail: string,
  headers?: Readonly<Record<string, string>>,
): { ok: false; refusal: Refusal } {
  return { ok: false, refusal: headers ? { status, detail, headers } : { status, detail } }
}

/** By this header a client knows a 404 of the gateway itself from one of something on the way: what is `gone` will not come back. */
const GONE_HEADER = 'holdpoint-gone'

/** One text for all that is absent: who may not see a stream learns nothing from how it is refused. */
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

/** Trouble that the caller has no part in. What it was is for the log alone. */
export function troubleOf(error: unknown): Refusal {
  const { status, retryable } = HoldpointError.isInstance(error)
    ? errorCodes[error.code]
    : { status: 500, retryable: false }
  if (status === 503 || retryable)
    return { status: 503, detail: 'This cannot be done right now. Try again.', headers: { 'retry-after': '1' } }
  return { status: 500, detail: 'Something went wrong here.' }
}
