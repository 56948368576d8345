import type { Usage } from './entries/entry.ts'
import type { JsonValue } from './json/json.ts'

/** What rules and formatters know of the run. */
export interface RunContext<TContext = unknown> {
  /** The application's own data: plain JSON, stored with the run. */
  readonly context: TContext
  readonly usage: Usage
  /** The input of the nested run, if this is one. */
  readonly toolInput?: JsonValue
}

/** The application's own data as it is handed in: anything that is plain JSON, of whatever type. Checked when it is stored. */
export type ContextInput = JsonValue | object

/** The context of an agent or a tool that does not say what it needs: it goes with any other. */
// biome-ignore lint/suspicious/noExplicitAny: `unknown` would refuse tools that know their context, `never` those that do not
export type AnyContext = any

/** What is handed in as the context of an agent: its own type, where the agent says it. */
export type ContextOf<TContext> = unknown extends TContext ? ContextInput : TContext

/**
 * A function of the application's that is told of the run. It may know the context's type (`runContext: RunContext<MyContext>`), which nobody here
 * does: so its parameters are compared like those of a method.
 */
export type ContextFunction<TArgs extends unknown[], TResult> = { call(...args: TArgs): TResult }['call']
