import type { RecordOutcome } from '../ports/records.ts'
import { IdempotencyConflict } from '../protocol/errors/errors.ts'

/** Throws `IdempotencyConflict` if a record refused a write. */
export function requireWritten(outcome: RecordOutcome): void {
  if (!outcome.ok) throw new IdempotencyConflict(outcome.conflict.id)
}
