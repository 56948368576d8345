import type { Usage } from './entries/entry.ts'
import type { JsonValue } from './json/json.ts'

/** The part of a run that rules and formatters may read. */
export interface RunContext<TContext = unknown> {
  /** The application's own data: plain JSON, stored with the run. */
  readonly context: TContext
  readonly usage: Usage
  /** The input of the nested run, if this is one. */
  readonly toolInput?: JsonValue
}

/** The application's own data as passed in: any plain JSON. Checked when it is stored. */
export type ContextInput = JsonValue | object

/** The context of an agent or a tool that does not say what it needs: it goes with any other. */
// biome-ignore lint/suspicious/noExplicitAny: `unknown` would refuse tools that know their context, `never` those that do not
export type AnyContext = any

/** What is handed in as the context of an agent: its own type, where the agent says it. */
export type ContextOf<TContext> = unknown extends TContext ? ContextInput : TContext

/**
 * An application function that gets the run's context. Its parameters are checked bivariantly, like a method's, so that
 * it may declare its own context type (`runContext: RunContext<MyContext>`).
 */
export type ContextFunction<TArgs extends unknown[], TResult> = { call(...args: TArgs): TResult }['call']
