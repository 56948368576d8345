import type { PartQuery, ThreadPart } from '../../ports/thread-part.ts'
import { ThreadErased } from '../../protocol/errors/errors.ts'
import { rangeBefore } from '../shared/page.ts'
import type { MemoryTenant } from './data.ts'
import { entryAt } from './read.ts'

/** The last entries of a thread before a number. */
export function readBack(tenant: MemoryTenant, threadId: string, query?: PartQuery): ThreadPart {
  const thread = tenant.threads.get(threadId)
  if (thread?.erased) throw new ThreadErased(threadId)
  const version = thread?.bodies.length ?? 0
  const { from, to } = rangeBefore(version, query)
  const numbers = Array.from({ length: to - from }, (_, index) => from + index + 1)
  return { version, entries: thread ? numbers.map((seq) => entryAt(thread, seq)) : [] }
}
