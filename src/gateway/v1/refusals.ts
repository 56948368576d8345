import { type ErrorCode, errorCodes, HoldpointError } from '../../protocol/errors/error-base.ts'
import { EditInvalid } from '../../protocol/errors/errors.ts'
import { jsonText, type Reply } from '../http/reply.ts'
import { type Refusal, type Result, refuse } from '../refusal.ts'

/** The codes of refusals that name none. */
const CODES: Readonly<Record<Refusal['status'], string>> = {
  400: 'invalid',
  401: 'unauthenticated',
  403: 'not_allowed',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  410: 'gone',
  413: 'too_large',
  422: 'invalid',
  429: 'too_many',
  500: 'failed',
  503: 'unavailable',
}

/** The error code of a refusal. */
export function codeOf({ status, code = CODES[status] }: Refusal): string {
  return code
}

/** A refusal as `/v1` writes it: `{ "code": string, "detail": string, … }`. */
export function apiRefusal(refusal: Refusal): Reply {
  const { status, detail, more, headers } = refusal
  const reply = jsonText(JSON.stringify({ code: codeOf(refusal), detail, ...more }), status)
  return headers ? { ...reply, headers: { ...reply.headers, ...headers } } : reply
}

/** The same refusal for what is absent and for what the caller may not see, so that it reveals nothing. */
export const NOT_FOUND = refuse(404, 'There is nothing here, or you may not see it.')

/** For callers who neither run the tenant nor audit it. */
export const AUDIT_DENIED = refuse(403, 'Only operators, admins and auditors read the audit.')

/** The caller sees it and may not do this with it. */
export function notAllowed(detail: string): { ok: false; refusal: Refusal } {
  return refuse(403, detail)
}

/** The caller is an auditor without another role. */
export const READ_ONLY = notAllowed('Auditors can read, but not change anything.')

/** A refusal that says more than a status and a message. */
export function refuseWith(refusal: Refusal): { ok: false; refusal: Refusal } {
  return { ok: false, refusal }
}

/** How `/v1` says what the desk refuses. Others have their own name and the status of the table. */
const OWN: Partial<Record<ErrorCode, Pick<Refusal, 'status' | 'code'>>> = {
  reviewer_not_allowed: { status: 403, code: 'not_allowed' },
  edit_invalid: { status: 422, code: 'edit_invalid' },
  stale_answer: { status: 409, code: 'already_decided' },
  // Not 503, with which clients would try again by themselves: the gateway is well, and a process drives the thread.
  thread_busy: { status: 409, code: 'thread_busy' },
}

const SAID: readonly number[] = [400, 403, 404, 409, 410, 413]

/** The refusal for an error of the desk that is the caller's business. `undefined`: something is wrong here. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!HoldpointError.isInstance(error)) return undefined
  const { status, retryable } = errorCodes[error.code]
  const own = OWN[error.code]
  if (!own && (retryable || !SAID.includes(status))) return undefined
  if (status === 404) return NOT_FOUND.refusal
  const more = error instanceof EditInvalid ? { more: { problems: [...error.problems] } } : {}
  return {
    status: status as Refusal['status'],
    code: error.code,
    ...own,
    detail: error.message,
    ...more,
  }
}

/** A result with a value. */
export function ok<T>(value: T): Result<T> {
  return { ok: true, value }
}
