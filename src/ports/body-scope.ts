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

/**
 * Which tool body, if any, the current code belongs to: `channel.confirm()` inside a body is that body's `ctx.confirm()`, with its
 * guarantees. Each body has a scope of its own, nested ones included.
 */
export const bodyScope: AsyncLocalStorage<BodyScope> = new AsyncLocalStorage()
