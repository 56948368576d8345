import { openRequests } from '../../core/queries.ts'
import type { Run } from '../../core/state.ts'
import { lazyMembers } from '../../core/views/lazy-members.ts'
import { toInterruption } from '../../core/views/request-view.ts'
import type { Usage } from '../../protocol/entries/entry.ts'
import { HoldpointError } from '../../protocol/errors/errors.ts'
import { cloneMessages, type Message, textOf } from '../../protocol/message.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import type { Shown } from '../answers/shown.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { outputTypeOf, readOutput } from '../definition/output-type.ts'
import type { Journal } from '../journal/journal.ts'
import type { Ending } from '../loop/loop.ts'

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
export type ThreadResult<TOutput = string> =
  | (ThreadResultBase & { readonly status: 'completed'; readonly finalOutput: TOutput })
  | (ThreadResultBase & { readonly status: 'suspended' })
  | (ThreadResultBase & { readonly status: 'aborted'; readonly reason: string })
  | (ThreadResultBase & { readonly status: 'failed'; readonly error: HoldpointError })
  /** This process stopped driving; `resume` goes on. */
  | (ThreadResultBase & { readonly status: 'incomplete' })

/** Words an ending as a result. */
export async function toThreadResult(
  { journal, agent, shown }: { journal: Journal; agent: AgentDefinition; shown: Shown },
  ending: Ending,
): Promise<ThreadResult<unknown>> {
  const { state } = journal
  const { run } = state
  const base = {
    threadId: state.threadId,
    runId: run?.id,
    usage: run ? { ...run.usage } : { requests: 0, inputTokens: 0, outputTokens: 0, totalTokens: 0 },
  }
  const requests = openRequests(state).map((request) => toInterruption(state, request))
  shown.hand(requests)
  const views = { messages: [...state.messages], requests, shown }
  return withViews(await readAs(agent, run, worded(base, { run, last: state.messages.at(-1) }, ending)), views)
}

/** A completed run whose last answer is not of the agent's `outputType`, because a person gave it, has failed. */
async function readAs(agent: AgentDefinition, run: Run | null, result: Worded): Promise<Worded<unknown>> {
  const outputType = outputTypeOf(agent, run?.frames.get(run.id)?.agent)
  if (result.status !== 'completed' || !outputType) return result
  try {
    return { ...result, finalOutput: await readOutput(outputType, result.finalOutput) }
  } catch (error) {
    if (!HoldpointError.isInstance(error)) throw error
    const { finalOutput: _unread, ...base } = result
    return { ...base, status: 'failed', error }
  }
}

function worded(
  base: Omit<ThreadResultBase, 'messages' | 'requests'>,
  { run, last }: { run: Run | null; last: Message | undefined },
  ending: Ending,
): Worded {
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

type Worded<TOutput = string> = DistributiveOmit<ThreadResult<TOutput>, 'messages' | 'requests'>

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

interface ViewSource {
  readonly messages: readonly Message[]
  readonly requests: HitlRequest[]
  readonly shown: Shown
  copy?: Message[]
}

/** The conversation is copied on first access, so that a long one does not slow down every answer. Reading the open requests counts as seeing them. */
const withViews = lazyMembers<ViewSource, Pick<ThreadResultBase, 'messages' | 'requests'>>({
  messages: (source) => {
    source.copy ??= cloneMessages(source.messages)
    return source.copy
  },
  requests: ({ shown, requests }) => {
    shown.look(requests)
    return requests
  },
})
