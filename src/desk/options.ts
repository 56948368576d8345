import type { CheckedDecision } from '../core/plan/decide.ts'
import type { RequestFacts } from '../core/request-view.ts'
import type { Store } from '../ports/store.ts'
import type { Actor, Decision } from '../protocol/decision.ts'
import type { IdSource } from '../protocol/uuid.ts'
import type { RequestRef } from './find.ts'
import type { ThreadSource } from './fold-thread.ts'

/** What the desk writes through. */
export type DeskStore = Pick<Store, 'append' | 'getRequest' | 'findRequests'> & ThreadSource

/** What an edit would run, or why it cannot. */
export type EditCheck = { ok: true; edited: NonNullable<CheckedDecision['edited']> } | { ok: false; problems: string[] }

/** How a desk works. */
export interface DeskOptions {
  store: DeskStore
  newId: IdSource
  /** Restricts it to one thread; questions ids are understood then. */
  threadId?: string
  /** What is known of an open request without asking the store. It may be out of date: the append is guarded by the version. */
  known?(ref: RequestRef): RequestFacts | undefined
  /** Whether whoever answers was shown this request: then its question id means it, whatever else had that id before. */
  shown?(id: string): boolean
  /** Takes answers to `confirm` and `ask` as they are: for test doubles. */
  unchecked?: boolean
  /** Checks an edit with the agent's code. Without it the driver checks before it releases. */
  checkEdit(
    facts: RequestFacts,
    decision: Extract<Decision, { type: 'edit' }>,
    by: Actor,
  ): Promise<EditCheck | undefined>
}
