import type { Actor } from '../../protocol/decision.ts'
import type { Entry, EntryOf } from '../../protocol/entries/entry.ts'
import type { JsonValue } from '../../protocol/json/json.ts'
import type { AskedRequest } from '../state.ts'

/** Answers a `confirm` or an `ask`. */
export function planAnswered(
  asked: { opened: EntryOf<'request.opened'>; version: number },
  answer: Pick<EntryOf<'request.answered'>, 'by' | 'idempotency'> & { value: JsonValue; comment?: string | undefined },
): Entry {
  const { id, call } = asked.opened
  return {
    v: 1,
    type: 'request.answered',
    id,
    ...(call === undefined ? {} : { call }),
    version: asked.version + 1,
    answer: answer.value,
    by: answer.by,
    ...(answer.comment === undefined ? {} : { comment: answer.comment }),
    ...(answer.idempotency ? { idempotency: answer.idempotency } : {}),
  }
}

/** Closes a request without an answer. */
export function planClosed(
  asked: Pick<AskedRequest, 'opened' | 'version'>,
  why: { status: EntryOf<'request.closed'>['status']; by: Actor; reason?: string },
): Entry {
  const { id, call } = asked.opened
  return {
    v: 1,
    type: 'request.closed',
    id,
    ...(call === undefined ? {} : { call }),
    version: asked.version + 1,
    ...why,
  }
}
