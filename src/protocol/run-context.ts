import type { Usage } from './entry.ts'
import type { JsonValue } from './json.ts'

/** What rules and formatters know of the run. */
export interface RunContext<TContext = unknown> {
  /** The application's own data: plain JSON, stored with the run. */
  readonly context: TContext
  readonly usage: Usage
  /** The input of the nested run, if this is one. */
  readonly toolInput?: JsonValue
}
