import type { Store } from '../../ports/store.ts'
import type { SigningKey } from '../../protocol/entries/state-text.ts'
import type { GrantOptions } from '../../protocol/grant.ts'
import type { AnswerBinding, AnswerOptions } from '../answers/answers.ts'

/** What goes with a decision. */
export type DecisionOptions = AnswerOptions & AnswerBinding

/** Makes a decision a standing one. */
export interface Standing {
  always?: boolean | GrantOptions
}

/** Keys for signing and verifying serialised states. */
export interface TextOptions {
  /** The first signs, all verify. When set, a string that is unsigned or was changed is refused. */
  signingKeys?: readonly SigningKey[]
}

/** How a serialised state is read. */
export interface RestoreOptions extends TextOptions {
  /**
   * Trusts the decisions in an unsigned string, which anybody could have written. Without it, they release nothing in a store: people are asked
   * again there. A string whose signature was verified needs no trust.
   */
  trust?: boolean
}

/** Which thread is loaded, and from where. */
export interface LoadOptions {
  threadId: string
  store: Store
  /** Loads the conversation too, for `messages`, `history`, `newItems` and `toString()`. Default `false`. */
  messages?: boolean
}
