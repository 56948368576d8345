import { wellFormed } from '../json/json.ts'
/**
 * Every failure that holdpoint reports. `status` is its HTTP status. `retryable` says whether the same call may succeed
 * later without a change.
 */
export const errorCodes = {
  agent_invalid: { status: 500, retryable: false },
  agent_mismatch: { status: 409, retryable: false },
  agent_missing: { status: 409, retryable: false },
  agent_version_missing: { status: 409, retryable: false },
  answer_invalid: { status: 400, retryable: false },
  audit_key_missing: { status: 500, retryable: false },
  call_failed: { status: 502, retryable: false },
  channel_busy: { status: 409, retryable: true },
  channel_missing: { status: 500, retryable: false },
  context_invalid: { status: 400, retryable: false },
  decision_invalid: { status: 400, retryable: false },
  decision_not_allowed: { status: 400, retryable: false },
  decision_pending: { status: 409, retryable: true },
  decision_unbound: { status: 409, retryable: false },
  driver_conflict: { status: 500, retryable: false },
  durability_not_guaranteed: { status: 500, retryable: false },
  edit_invalid: { status: 400, retryable: false },
  edit_not_judged: { status: 500, retryable: false },
  facts_unstable: { status: 409, retryable: false },
  grant_not_found: { status: 404, retryable: false },
  guardrail_failed: { status: 500, retryable: true },
  guardrail_tripped: { status: 409, retryable: false },
  hil_content_invalid: { status: 400, retryable: false },
  hil_interrupt_cancelled: { status: 409, retryable: false },
  hil_reply_invalid: { status: 400, retryable: false },
  hil_stream_exists: { status: 409, retryable: false },
  hil_stream_missing: { status: 404, retryable: false },
  hil_stream_taken_over: { status: 409, retryable: false },
  hitl_aborted: { status: 409, retryable: false },
  hitl_cancelled: { status: 409, retryable: false },
  hitl_detached: { status: 409, retryable: false },
  hitl_timed_out: { status: 408, retryable: false },
  idempotency_conflict: { status: 409, retryable: false },
  idempotency_key_reused: { status: 409, retryable: false },
  input_invalid: { status: 400, retryable: false },
  journal_invalid: { status: 500, retryable: false },
  limit_exceeded: { status: 413, retryable: false },
  max_rejections_exceeded: { status: 500, retryable: false },
  max_turns_exceeded: { status: 500, retryable: false },
  mcp_server_failed: { status: 502, retryable: true },
  mcp_server_invalid: { status: 500, retryable: false },
  messages_not_loaded: { status: 500, retryable: false },
  model_failed: { status: 502, retryable: true },
  model_response_invalid: { status: 502, retryable: true },
  no_pending_request: { status: 404, retryable: false },
  not_released: { status: 409, retryable: false },
  outcome_unknown: { status: 502, retryable: false },
  peer_missing: { status: 500, retryable: false },
  policy_failed: { status: 500, retryable: false },
  policy_invalid: { status: 500, retryable: false },
  question_ambiguous: { status: 409, retryable: false },
  question_not_awaited: { status: 500, retryable: false },
  queue_failed: { status: 503, retryable: true },
  remote_tool_failed: { status: 502, retryable: false },
  request_changed: { status: 409, retryable: false },
  request_taken: { status: 409, retryable: true },
  reviewer_not_allowed: { status: 403, retryable: false },
  script_exhausted: { status: 500, retryable: false },
  script_unconsumed: { status: 500, retryable: false },
  session_failed: { status: 503, retryable: true },
  stale_answer: { status: 409, retryable: false },
  state_diverged: { status: 409, retryable: false },
  state_invalid: { status: 400, retryable: false },
  state_signature_invalid: { status: 400, retryable: false },
  store_behind: { status: 500, retryable: false },
  store_busy: { status: 503, retryable: true },
  store_closed: { status: 500, retryable: false },
  store_contended: { status: 503, retryable: true },
  store_corrupt: { status: 500, retryable: false },
  store_failed: { status: 500, retryable: true },
  store_missing: { status: 500, retryable: false },
  store_newer: { status: 500, retryable: false },
  store_outdated: { status: 500, retryable: false },
  streams_closed: { status: 500, retryable: false },
  streams_failed: { status: 503, retryable: true },
  tenant_id_invalid: { status: 400, retryable: false },
  thread_busy: { status: 409, retryable: true },
  thread_closed: { status: 500, retryable: false },
  thread_erased: { status: 410, retryable: false },
  thread_id_invalid: { status: 400, retryable: false },
  thread_not_found: { status: 404, retryable: false },
  thread_open: { status: 409, retryable: false },
  thread_paused: { status: 409, retryable: false },
  thread_reentered: { status: 500, retryable: false },
  tool_failed: { status: 500, retryable: false },
  tool_invalid: { status: 500, retryable: false },
  tool_missing: { status: 500, retryable: false },
  version_unavailable: { status: 409, retryable: false },
} as const

/** A stable name for a kind of failure. */
export type ErrorCode = keyof typeof errorCodes

const MARK = Symbol.for('holdpoint.error')

/** The base of every error that holdpoint throws or returns. `name` is its class, `code` is stable, ids are fields. */
export class HoldpointError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.name = new.target.name
    Object.defineProperty(this, MARK, { value: true })
  }

  /** Whether the same call may succeed later without a change. */
  get retryable(): boolean {
    return errorCodes[this.code].retryable
  }

  /** Whether a value is a holdpoint error, including one from another installed copy of the package. */
  static isInstance(value: unknown): value is HoldpointError {
    return typeof value === 'object' && value !== null && (value as { [MARK]?: unknown })[MARK] === true
  }
}

/** The message of any thrown value. Never throws. */
export function messageOf(thrown: unknown): string {
  try {
    return wellFormed(thrown instanceof Error ? String(thrown.message) : String(thrown))
  } catch {
    return 'a value that cannot be converted to a string was thrown'
  }
}
