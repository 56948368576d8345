import { AsyncLocalStorage } from 'node:async_hooks'
import type { Answers } from '../protocol/answer.ts'
import type { Question } from '../protocol/request.ts'
import type { Channel, ConfirmOptions, WaitOptions } from './channel.ts'

/** The waiting verbs of the running tool body. */
export interface BodyScope {
  readonly channel: Channel | undefined
  confirm(prompt: string, options?: ConfirmOptions): Promise<boolean>
  ask(questions: Question[], options?: WaitOptions): Promise<Answers>
}

/** The loop of a live thread that waits for the current code: a hook, a policy, a model or a tool body. */
export interface CallScope {
  readonly thread: object
  /** The leases that this loop has taken. */
  readonly holders: ReadonlySet<string>
  /** Set inside a tool body. */
  readonly body: BodyScope | undefined
  /** The scope of the code that waits for this loop. */
  readonly outer: CallScope | undefined
  /** Nobody waits for this code any more. */
  over: boolean
}

const scopes: AsyncLocalStorage<CallScope | undefined> = new AsyncLocalStorage()

/** Creates the scope of a thread's loop. The code that waits for the current code also waits for this loop. */
export function scopeOf(thread: object): CallScope & { readonly holders: Set<string> } {
  return { thread, holders: new Set(), body: undefined, outer: awaitingScope(), over: false }
}

/** Runs code that the scope's loop waits for. */
export function inside<T>(scope: CallScope, work: () => T): T {
  return scopes.run(scope, work)
}

/** Runs code that nobody waits for, such as listeners. */
export function outside<T>(work: () => T): T {
  return scopes.getStore() === undefined ? work() : scopes.run(undefined, work)
}

/** The scope that still waits for the current code, if any. */
function awaitingScope(): CallScope | undefined {
  const scope = scopes.getStore()
  return scope?.over ? undefined : scope
}

/**
 * Whether a matching scope waits for the current code, directly or through others. Waiting for that scope would be a
 * deadlock.
 */
export function isAwaited(by: (scope: CallScope) => boolean): boolean {
  for (let scope = awaitingScope(); scope && !scope.over; scope = scope.outer) if (by(scope)) return true
  return false
}

/**
 * The tool body that the current code belongs to. Inside it, `channel.confirm()` is the body's `ctx.confirm()`, with
 * the same guarantees. Each body has its own scope, nested ones included.
 */
export function currentBody(): BodyScope | undefined {
  return scopes.getStore()?.body
}
