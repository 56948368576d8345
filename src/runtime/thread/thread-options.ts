import type { Channel } from '../../ports/channel.ts'
import { type ListenerErrorHandler, requireListenerErrorHandler } from '../../ports/listeners.ts'
import type { Store } from '../../ports/store.ts'
import {
  checkToolExecution,
  requireSignal,
  requireStore,
  type ToolExecution,
} from '../../protocol/checks/check-options.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import type { AgentEvent } from '../../protocol/event.ts'
import type { ContextInput } from '../../protocol/run-context.ts'
import type { AnswerBatch, AnswerBinding, AnswerOptions, NamedAnswer } from '../answers/answers.ts'
import type { ToolErrorFormatter } from '../definition/definition.ts'
import { checkEntryOptions } from '../run/enter-run.ts'

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

const MAKER = 'agent.thread()'
const KNOWN = ['store', 'channel', 'deps', 'toolErrorFormatter', 'toolExecution', 'onListenerError']

/** Throws `InputInvalid` unless a thread can be made from these. */
export function checkThreadOptions(options: ThreadOptions): void {
  requireKnown(MAKER, options, KNOWN)
  if (options.store !== undefined) requireStore(MAKER, options.store)
  requireListenerErrorHandler(MAKER, options.onListenerError)
  checkToolExecution(options.toolExecution)
}

/** How one call on a thread goes. */
export interface DriveOptions {
  /** Stops driving: the result is `incomplete`, requests stay open, and `resume` goes on. */
  signal?: AbortSignal
  maxTurns?: number | null
}

/** Throws `InputInvalid` unless a call on a thread can go like this. `more`: the options that only this method has. */
export function checkDriveOptions(what: string, options: DriveOptions, more: readonly string[] = []): void {
  requireKnown(what, options, ['signal', 'maxTurns', ...more])
  requireSignal(what, options?.signal)
  checkEntryOptions(options)
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
