import { toInterruption } from '../core/request-view.ts'
import { openRequests, type Run } from '../core/state.ts'
import type { Usage } from '../protocol/entry.ts'
import type { HoldpointError } from '../protocol/errors.ts'
import { cloneMessages, type Message, textOf } from '../protocol/message.ts'
import type { HitlRequest } from '../protocol/request.ts'
import type { Ending } from './drive.ts'
import type { Journal } from './journal.ts'

interface ThreadResultBase {
  readonly threadId: string
  /** Absent if the thread has had no run. */
  readonly runId: string | undefined
  readonly messages: Message[]
  readonly usage: Usage
  /** What waits for a person, in call order. */
  readonly requests: HitlRequest[]
}

/** What a call on a thread came to, once it is settled. A failure is never shaped like success. */
export type ThreadResult =
  | (ThreadResultBase & { readonly status: 'completed'; readonly finalOutput: string })
  | (ThreadResultBase & { readonly status: 'suspended' })
  | (ThreadResultBase & { readonly status: 'aborted'; readonly reason: string })
  | (ThreadResultBase & { readonly status: 'failed'; readonly error: HoldpointError })
  /** This process stopped driving; `resume` goes on. */
  | (ThreadResultBase & { readonly status: 'incomplete' })

/** Words an ending as a result. */
export function toThreadResult(journal: Journal, ending: Ending): ThreadResult {
  const { state } = journal
  const { run } = state
  const base = {
    threadId: state.threadId,
    runId: run?.id,
    usage: run ? { ...run.usage } : { requests: 0, inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    requests: openRequests(state).map((request) => toInterruption(state, request)),
  }
  return withMessages(worded(base, run, state.messages.at(-1), ending), [...state.messages])
}

function worded(
  base: Omit<ThreadResultBase, 'messages'>,
  run: Run | null,
  last: Message | undefined,
  ending: Ending,
): DistributiveOmit<ThreadResult, 'messages'> {
  switch (ending.kind) {
    case 'paused':
      return { ...base, status: 'suspended' }
    case 'stopped':
    case 'overtaken':
      return { ...base, status: 'incomplete' }
    case 'failed':
      return { ...base, status: 'failed', error: ending.error }
    case 'settled':
      // Without a run there is nothing that could have completed.
      if (run?.status !== 'completed') return { ...base, status: 'aborted', reason: run?.reason ?? 'there was no run' }
      return { ...base, status: 'completed', finalOutput: last ? textOf(last.content) : '' }
    default:
      return ending satisfies never
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** The conversation is copied when somebody looks at it: a long one must not slow down every answer. */
function withMessages(result: DistributiveOmit<ThreadResult, 'messages'>, messages: readonly Message[]): ThreadResult {
  let copy: Message[] | undefined
  return Object.defineProperty(result, 'messages', {
    enumerable: true,
    get: () => {
      copy ??= cloneMessages(messages)
      return copy
    },
  }) as ThreadResult
}
