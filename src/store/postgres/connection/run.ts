import type { SqlRow } from '../../sql/dialect.ts'

/** Runs one statement. Values come back as strings. */
export interface Run {
  (text: string, values?: readonly unknown[]): Promise<SqlRow[]>
  /** The same, for one that is made again and again. Not within a transaction, which it may have to leave. */
  kept(text: string, values: readonly unknown[]): Promise<SqlRow[]>
}
