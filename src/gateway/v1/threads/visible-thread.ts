import { readersOf } from '../../../core/access.ts'
import { ThreadIdInvalid } from '../../../protocol/errors/errors.ts'
import { isOwnThread, parseThreadId } from '../../../protocol/ids.ts'
import type { ApiCall } from '../api-route.ts'

/** The id of a thread, if the caller may see it: one of its requests is for them. Whether it exists is not known for those who see all. */
export async function visibleThread(call: ApiCall, given: string): Promise<string | undefined> {
  const id = threadIdOf(given)
  return id !== undefined && (await seesThread(call, id)) ? id : undefined
}

/** A thread id from outside; `undefined` if there can be no such thread. */
export function threadIdOf(given: string): string | undefined {
  try {
    return parseThreadId(given)
  } catch (error) {
    if (error instanceof ThreadIdInvalid) return undefined
    throw error
  }
}

/** The same for auditors, who also read notes and the record of erasures. */
export function auditedIdOf(given: string): string | undefined {
  return isOwnThread(given) ? given : threadIdOf(given)
}

/** Whether the caller may see a thread. */
async function seesThread({ store, caller }: ApiCall, threadId: string): Promise<boolean> {
  const readers = readersOf(caller)
  if (!readers) return true
  if (readers.length === 0) return false
  const { count } = await store.countRequests({ threadId, readers }, { limit: 1 })
  return count > 0
}
