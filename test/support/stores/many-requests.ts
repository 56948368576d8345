import { reviewedBy } from '../../../src/core/access.ts'
import { projectRequests } from '../../../src/core/views/project.ts'
import type { Store } from '../../../src/ports/store.ts'
import type { EntryOf } from '../../../src/protocol/entries/entry.ts'
import type { Risk } from '../../../src/protocol/request.ts'
import { uuidSource } from '../../../src/protocol/uuid.ts'

/** What a request is about. */
export interface ManyOptions {
  tool?: string
  lists?: string[][]
  risk?: Risk
  /** Default: one of ten, in turn. */
  threadId?: string
}

const THREADS = 10

/** Opens many requests at once, oldest first, spread over the threads `thread-0` to `thread-9`. Faster than agents that ask. */
export async function manyRequests(
  store: Store,
  count: number,
  optionsOf: (nth: number) => ManyOptions = () => ({}),
): Promise<string[]> {
  const newId = uuidSource()
  const all = Array.from({ length: count }, (_, nth): EntryOf<'request.opened'> => {
    const { tool = 'refund', lists = [], risk } = optionsOf(nth)
    return {
      v: 1,
      type: 'request.opened',
      id: newId(),
      questionId: `q${nth}`,
      kind: 'approve',
      agent: 'clerk',
      path: ['clerk'],
      toolName: tool,
      args: { nth },
      digest: `digest-${nth}`,
      allowedDecisions: ['approve', 'edit', 'reject', 'respond'],
      ...reviewedBy(lists),
      ...(risk ? { risk } : {}),
    }
  })
  const threadOf = (nth: number) => optionsOf(nth).threadId ?? `thread-${nth % THREADS}`
  const byThread = new Map<string, typeof all>()
  for (const [nth, each] of all.entries()) byThread.set(threadOf(nth), [...(byThread.get(threadOf(nth)) ?? []), each])
  for (const [threadId, own] of byThread) {
    for (let at = 0; at < own.length; at += 100) {
      const entries = own.slice(at, at + 100)
      const requests = projectRequests(entries, threadId)
      const outcome = await store.append({ threadId, entries: entries.map((entry) => JSON.stringify(entry)), requests })
      if (!outcome.ok) throw new Error('the requests were refused')
    }
  }
  return all.map(({ id }) => id)
}
