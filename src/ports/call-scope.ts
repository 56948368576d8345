import { AsyncLocalStorage } from 'node:async_hooks'
import type { Answers } from '../protocol/answer.ts'
import type { Question } from '../protocol/request.ts'
import type { Channel, ConfirmOptions, WaitOptions } from './channel.ts'

/** The waiting verbs of the tool body that is running. */
export interface BodyScope {
  readonly channel: Channel | undefined
  confirm(prompt: string, options?: ConfirmOptions): Promise<boolean>
  ask(questions: Question[], options?: WaitOptions): Promise<Answers>
}

/** Who waits for the current code to end: the loop of a live thread, for a hook, a policy, a model or one of its tool bodies. */
export interface CallScope {
  readonly thread: object
  /** The leases that this loop has taken. */
  readonly holders: ReadonlySet<string>
  /** Set inside a tool body. */
  readonly body: BodyScope | undefined
  /** Who waits for that loop in turn. */
  readonly outer: CallScope | undefined
  /** Nobody waits for this code any more. */
  over: boolean
}

const scopes: AsyncLocalStorage<CallScope | undefined> = new AsyncLocalStorage()

/** The loop of a thread begins, and whoever waits for the current code will wait for it. */
export function scopeOf(thread: object): CallScope & { readonly holders: Set<string> } {
  return { thread, holders: new Set(), body: undefined, outer: awaitingScope(), over: false }
}

/** Runs code that somebody waits for. */
export function inside<T>(scope: CallScope, work: () => T): T {
  return scopes.run(scope, work)
}

/** Runs code that nobody waits for, such as listeners. */
export function outside<T>(work: () => T): T {
  return scopes.getStore() === undefined ? work() : scopes.run(undefined, work)
}

/** Who waits for the current code, if anybody still does. */
function awaitingScope(): CallScope | undefined {
  const scope = scopes.getStore()
  return scope?.over ? undefined : scope
}

/** Whether one of those who wait for the current code, directly or for one another, is this one: then waiting for it would never end. */
export function isAwaited(by: (scope: CallScope) => boolean): boolean {
  for (let scope = awaitingScope(); scope && !scope.over; scope = scope.outer) if (by(scope)) return true
  return false
}

/**
 * The tool body that the current code belongs to: `channel.confirm()` inside a body is that body's `ctx.confirm()`, with its guarantees. Each
 * body has a scope of its own, nested ones included.
 */
export function currentBody(): BodyScope | undefined {
  return scopes.getStore()?.body
}
