import { HoldpointError, InputInvalid, StoreBusy, StoreCorrupt, StoreFailed } from '../../../protocol/errors/errors.ts'

/**
 * What an error of the driver says about the statement.
 *
 * `again`    it was rolled back because of a concurrent transaction: retry
 * `refused`  the server did not do it, and says why
 * `unknown`  the connection is gone: it may or may not have been done
 */
export type FailureKind = 'again' | 'refused' | 'unknown'

/** Classes of error codes that mean that the statement had no effect. */
const REFUSALS: ReadonlySet<string> = new Set('0A 21 22 23 25 26 28 2B 34 3D 3F 42 44 53 54 55 HP P0'.split(' '))

/** Classifies an error. An error that is not known to be the server's answer means that the statement may have been executed. */
export function kindOf(error: unknown): FailureKind {
  const code = codeOf(error)
  if (code === undefined || code === '53300') return 'unknown'
  if (isTaken(error)) return 'refused'
  if (code.startsWith('40') || code === '23505') return 'again'
  return REFUSALS.has(code.slice(0, 2)) || code === '57014' ? 'refused' : 'unknown'
}

/** Whether the database cannot be reached or refuses connections for now. Wrong settings do not count: they stay wrong. */
export function isUnreachable(error: unknown): boolean {
  return !HoldpointError.isInstance(error) && kindOf(error) === 'unknown' && !isSetting(error)
}

/** Error codes of a server that is busy. */
const BUSY: ReadonlySet<string | undefined> = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '53300', // too_many_connections
  '55P03', // lock_not_available
  '57014', // query_canceled
  '57P03', // cannot_connect_now
])

/** The typed error for an error of the database. */
export function toStoreError(error: unknown, place: string): unknown {
  if (HoldpointError.isInstance(error)) return error
  const code = codeOf(error)
  if (BUSY.has(code)) return new StoreBusy(place, error)
  // character_not_in_repertoire, untranslatable_character
  if (code === '22021' || code === '22P05') return new InputInvalid('Postgres cannot store the character U+0000')
  // program_limit_exceeded
  if (code === '54000') return new InputInvalid('a value is too long for an index of Postgres')
  // data_corrupted, index_corrupted
  if (code === 'XX001' || code === 'XX002') return new StoreCorrupt(place, messageOf(error), error)
  if (isTaken(error)) return new StoreCorrupt(place, 'a thread has entries after its end', error)
  return new StoreFailed(place, error)
}

/** Whether an entry already exists after a thread's end. */
function isTaken(error: unknown): boolean {
  return codeOf(error) === '23505' && (error as { constraint?: unknown }).constraint === 'entries_thread'
}

/** The five-character SQLSTATE of a server error. System errors have codes of another shape. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}

/** Whether retrying is pointless: an invalid connection string, an unknown host. */
function isSetting(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code
  return error instanceof TypeError || code === 'ERR_INVALID_URL' || code === 'ENOTFOUND' || code === 'EACCES'
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
