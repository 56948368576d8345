import { reviewedBy } from '../../../src/core/access.ts'
import { projectRequests } from '../../../src/core/project.ts'
import type { Store } from '../../../src/ports/store.ts'
import type { EntryOf } from '../../../src/protocol/entries/entry.ts'
import type { Risk } from '../../../src/protocol/request.ts'
import { uuidSource } from '../../../src/protocol/uuid.ts'

/** What a request is about. */
export interface ManyOptions {
  tool?: string
  lists?: string[][]
  risk?: Risk
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
  for (let thread = 0; thread < THREADS; thread++) {
    const threadId = `thread-${thread}`
    const own = all.filter((_, nth) => nth % THREADS === thread)
    for (let at = 0; at < own.length; at += 100) {
      const entries = own.slice(at, at + 100)
      const requests = projectRequests(entries, threadId)
      const outcome = await store.append({ threadId, entries: entries.map((entry) => JSON.stringify(entry)), requests })
      if (!outcome.ok) throw new Error('the requests were refused')
    }
  }
  return all.map(({ id }) => id)
}
