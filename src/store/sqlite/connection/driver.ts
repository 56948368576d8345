import { InputInvalid } from '../../../protocol/errors/errors.ts'
import type { SqlRow } from '../../sql/dialect.ts'

export type { SqlRow } from '../../sql/dialect.ts'

/**
 * What a store needs from SQLite: a few synchronous functions, so that any binding can stand behind it.
 *
 * D1  Only the listed kinds of values are bound: libsql aborts the process on any other.
 * D2  Every failure of SQLite is thrown as a {@link SqliteFailure}; nothing else is.
 * D3  Locks are never waited for here: that would stop the loop. Busy is a failure of kind `busy`.
 */
export interface Driver {
  readonly name: DriverName
  /** `peek` opens an existing file without ever writing, locking or making other files; what it shows may be torn. */
  open(path: string, mode: 'peek' | 'write'): Database
}

/** The bindings that are known. */
export type DriverName = 'node:sqlite' | 'libsql' | 'better-sqlite3'

/** In the order in which they are looked for. */
export const DRIVERS: readonly DriverName[] = ['node:sqlite', 'libsql', 'better-sqlite3']

/** One open connection. */
export interface Database {
  exec(sql: string): void
  prepare(sql: string): Statement
  /** The same, for rows without names: naming every value of every row is up to a third of a small read. */
  prepareList(sql: string): ListStatement
  /** Lets go of the file; with libsql only once its statements are collected. */
  close(): void
}

/** One prepared statement. Blobs come back as {@link toBytes} takes them. */
export interface Statement {
  /** How many rows were changed. */
  run(values: readonly SqlValue[]): number
  get(values: readonly SqlValue[]): SqlRow | undefined
  all(values: readonly SqlValue[]): SqlRow[]
}

/** One prepared statement whose rows are lists of values, in the order of its columns, which must have different names. */
export interface ListStatement {
  get(values: readonly SqlValue[]): readonly unknown[] | undefined
  all(values: readonly SqlValue[]): (readonly unknown[])[]
}

/** What may be bound. */
export type SqlValue = string | number | bigint | Uint8Array | null

/** Something that SQLite refused to do. `corrupt` also stands for a file that is no database. */
export class SqliteFailure extends Error {
  readonly kind: 'busy' | 'corrupt' | 'other'

  constructor(code: number | undefined, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.name = 'SqliteFailure'
    this.kind = kindOf(code)
  }
}

/** The low byte of a result code is the error, the rest says more about it. */
function kindOf(code: number | undefined): SqliteFailure['kind'] {
  // SQLITE_CONSTRAINT_PRIMARYKEY and _UNIQUE: guards are judged under the lock, so rows are where there should be none.
  if (code === 1555 || code === 2067) return 'corrupt'
  switch (code === undefined ? undefined : code & 0xff) {
    case 5: // SQLITE_BUSY
    case 6: // SQLITE_LOCKED
      return 'busy'
    case 11: // SQLITE_CORRUPT
    case 26: // SQLITE_NOTADB
      return 'corrupt'
    default:
      return 'other'
  }
}

/** Refuses values that a binding might choke on (D1). */
export function checkValues(values: readonly unknown[]): void {
  for (const value of values) {
    const type = typeof value
    if (type === 'string' || type === 'number' || type === 'bigint' || value === null) continue
    if (!(value instanceof Uint8Array)) throw new InputInvalid(`${type} cannot be stored in a column`)
  }
}

/** For a binding that stores strings with U+0000 whole and reads them only up to it: what cannot be read back is not written. */
export function refuseNul(values: readonly unknown[], binding: string): void {
  for (const value of values) {
    if (typeof value === 'string' && value.includes('\u0000'))
      throw new InputInvalid(`${binding} cannot give back the character U+0000`)
  }
}

const NO_BYTES = new Uint8Array()

/** A blob as the bindings return it: libsql gives a bare buffer. A column takes values of any type: what is no blob is no hash and no signature. */
export function toBytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value
  return value instanceof ArrayBuffer ? new Uint8Array(value) : NO_BYTES
}

/** The address that opens a file for `peek`. */
export function peekUri(path: string): string {
  const escaped = path.replaceAll('%', '%25').replaceAll('?', '%3f').replaceAll('#', '%23').replaceAll('\\', '/')
  return `file:${escaped.startsWith('/') ? '' : '/'}${escaped}?mode=ro&immutable=1`
}
