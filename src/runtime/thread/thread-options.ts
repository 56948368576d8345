import type { Channel } from '../../ports/channel.ts'
import type { ListenerErrorHandler } from '../../ports/listeners.ts'
import type { Store } from '../../ports/store.ts'
import type { ToolExecution } from '../../protocol/checks/check-options.ts'
import type { AgentEvent } from '../../protocol/event.ts'
import type { ContextInput } from '../../protocol/run-context.ts'
import type { AnswerBatch, AnswerBinding, AnswerOptions, NamedAnswer } from '../answers/answers.ts'
import type { ToolErrorFormatter } from '../definition/definition.ts'

/** What a live thread is made from. */
export interface ThreadOptions {
  /** Where the conversation is kept. Default: a memory store of its own. */
  store?: Store
  /** How it waits for people in this process. Without one it pauses (`suspended`) where people are needed. */
  channel?: Channel
  /** Live objects for tools, never stored. */
  deps?: unknown
  /** Is told what a listener of `subscribe` threw, or rejected with. Default: a warning of the process. */
  onListenerError?: ListenerErrorHandler<AgentEvent>
  toolErrorFormatter?: ToolErrorFormatter
  toolExecution?: ToolExecution
}

/** How one call on a thread goes. */
export interface DriveOptions {
  /** Stops driving: the result is `incomplete`, requests stay open, and `resume` goes on. */
  signal?: AbortSignal
  maxTurns?: number | null
}

/** What a prompt brings with it. */
export interface PromptOptions<TContext = ContextInput> extends DriveOptions {
  context?: TContext
  whilePaused?: 'queue' | 'supersede'
  /** How often a person may reject the same call; see `run`. */
  maxRejections?: number | { limit: number; action: 'end' | 'escalate' }
}

/**
 * An answer to what a thread waits for: one that names its request, several, or one for the question that this thread has shown (with `unbound`: the
 * first that is open now).
 */
export type ThreadAnswer = DriveOptions &
  (NamedAnswer | AnswerBatch | (AnswerOptions & AnswerBinding & { answer: unknown; unbound?: boolean }))
