import { HoldpointError, InputInvalid, StoreBusy, StoreCorrupt, StoreFailed } from '../../protocol/errors.ts'

/**
 * What an error of the driver says about the statement.
 *
 * `again`    it was rolled back for the sake of others: to be made again
 * `refused`  the server did not do it, and says why
 * `unknown`  the connection is gone: it may or may not have been done
 */
export type FailureKind = 'again' | 'refused' | 'unknown'

/** Classes of codes by which a server answers that it did not do what it was told. */
const REFUSALS: ReadonlySet<string> = new Set([
  '0A', '21', '22', '23', '25', '26', '28', '2B', '34', '3D', '3F', '42', '44', '53', '54', '55', 'HP', 'P0',
]) // prettier-ignore

/** Whatever is not known to be an answer of the server may have been done. */
export function kindOf(error: unknown): FailureKind {
  const code = codeOf(error)
  if (code === undefined || code === '53300') return 'unknown'
  if (code.startsWith('40') || code === '23505') return 'again'
  return REFUSALS.has(code.slice(0, 2)) || code === '57014' ? 'refused' : 'unknown'
}

/** Whether the database does not let anybody in just now, or cannot be reached. Settings that are wrong stay wrong. */
export function isUnreachable(error: unknown): boolean {
  return !HoldpointError.isInstance(error) && kindOf(error) === 'unknown' && !isSetting(error)
}

/** The typed error for whatever went wrong with a database. */
export function toStoreError(error: unknown, place: string): unknown {
  if (HoldpointError.isInstance(error)) return error
  const code = codeOf(error)
  switch (code) {
    case '22021': // character_not_in_repertoire
    case '22P05': // untranslatable_character
      return new InputInvalid('Postgres cannot store a text with the character U+0000', { cause: error })
    case '54000': // program_limit_exceeded
      return new InputInvalid('a value is too long for an index of Postgres', { cause: error })
    case '55P03': // lock_not_available
    case '57014': // query_canceled
    case '53300': // too_many_connections
    case '57P03': // cannot_connect_now
      return new StoreBusy(place, error)
    case 'XX001': // data_corrupted
    case 'XX002': // index_corrupted
      return new StoreCorrupt(place, messageOf(error), error)
  }
  return code?.startsWith('40') ? new StoreBusy(place, error) : new StoreFailed(place, error)
}

/** The five characters by which a server names an error. Errors of the system have codes of another shape. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}

/** What no waiting mends: a connection string that cannot be read, a host that does not exist. */
function isSetting(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code
  return error instanceof TypeError || code === 'ERR_INVALID_URL' || code === 'ENOTFOUND' || code === 'EACCES'
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
