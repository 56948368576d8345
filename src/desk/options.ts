import type { CheckedDecision } from '../core/plan/decide.ts'
import type { RequestFacts } from '../core/views/request-view.ts'
import type { Store } from '../ports/store.ts'
import type { Actor, Decision } from '../protocol/decision.ts'
import type { IdSource } from '../protocol/uuid.ts'
import type { RequestRef } from './find.ts'
import type { ThreadSource } from './record/fold-thread.ts'

/** The part of the store that the desk uses. */
export type DeskStore = Pick<Store, 'append' | 'getRequest' | 'findRequests'> & ThreadSource

/** The call that an edit would run, or why it cannot run. */
export type EditCheck = { ok: true; edited: NonNullable<CheckedDecision['edited']> } | { ok: false; problems: string[] }

/** Options of a desk. */
export interface DeskOptions {
  store: DeskStore
  newId: IdSource
  /** Restricts the desk to one thread. Requests can then be named by question id. */
  threadId?: string
  /** Looks up an open request without reading the store. It may be out of date: the append is guarded by the version. */
  known?(ref: RequestRef): RequestFacts | undefined
  /** Whether the caller was shown this request. Then its question id means this request, whatever else had that id before. */
  shown?(id: string): boolean
  /** Accepts answers to `confirm` and `ask` unchecked, for test doubles. */
  unchecked?: boolean
  /** Checks an edit as far as possible here. The loop checks it with the tool's own schema before it releases the call. */
  checkEdit(
    facts: RequestFacts,
    decision: Extract<Decision, { type: 'edit' }>,
    by: Actor,
  ): Promise<EditCheck | undefined>
}
