import type { AppendOutcome } from '../../ports/store.ts'
import { IdempotencyConflict } from '../../protocol/errors/errors.ts'

/** Throws `IdempotencyConflict` if a record refused an append: trying again would be refused again. */
export function requireRecords(outcome: AppendOutcome): void {
  if (!outcome.ok && outcome.conflict.kind === 'record') throw new IdempotencyConflict(outcome.conflict.id)
}
