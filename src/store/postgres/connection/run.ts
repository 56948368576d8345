import type { SqlRow } from '../../sql/dialect.ts'

/** Runs one statement. Values come back as strings. */
export interface Run {
  (text: string, values?: readonly unknown[]): Promise<SqlRow[]>
  /** The same for a frequent statement, with a kept plan. Not inside a transaction, because it may have to retry without the plan. */
  kept(text: string, values: readonly unknown[]): Promise<SqlRow[]>
}
