/** The differences between the databases in otherwise equal statements. */
export interface Dialect {
  /** Goes before the name of every table. */
  readonly prefix: string
  /** The column that numbers threads. */
  readonly key: string
  /** Whole numbers. */
  readonly integer: string
  /** Double-precision numbers, as in JavaScript. */
  readonly real: string
  /** Times that callers choose, which may be any number. */
  readonly time: string
  /** Strings that are compared and sorted by their bytes. */
  readonly text: string
  readonly blob: string
  /** Keeps a table in the order of its primary key, where a database can. */
  readonly ordered: string
  /** Bytes as a hexadecimal string. */
  hex(bytes: string): string
  /** Makes a query use an index, if the database supports that. */
  use(index: string): string
  /** Whether the indexes by tool, agent and assignee hold requests of every status, or only open ones. */
  readonly indexesAllStatuses: boolean
  /** The deadline of a request while it is open, and the condition that it has one, as the index of due requests has them. */
  readonly due: { readonly at: string; readonly where: string }
  /**
   * The tenant and the id as the index of changes has them. An expression keeps a planner without statistics from taking that index for a way to
   * look up a request by tenant and id.
   */
  readonly byChange: { readonly tenant: string; readonly id: string }
  /** Whether a column contains a string, which is bound. */
  contains(column: string): string
  /** Whether each array of a JSON array of arrays has one of some strings. There are this many, and they are bound. */
  eachHasOne(column: string, names: number): string
}

/** One row by column names. */
export type SqlRow = Readonly<Record<string, unknown>>

/** A statement with `?` for each of its values, in order. */
export interface SqlQuery<V> {
  readonly sql: string
  readonly values: readonly V[]
}

/** `?, ?, …`, as many. */
export function placeholders(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ')
}
