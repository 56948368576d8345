import type { Store } from '../../index.ts'
import type { ThreadName as Name } from '../../ports.ts'
import { ThreadNotFound } from '../../protocol/errors/errors.ts'
import { parseAuditedId } from '../../protocol/ids.ts'
import type { Call } from '../command-line/command.ts'

/** A thread and its tenant, as commands print them. */
export interface ThreadName {
  readonly tenant: string
  readonly threadId: string
}

/** The thread of `--thread`, which must exist. Without it: all threads of `--tenant`, or of every tenant. */
export async function threadsOf(call: Call, store: Store): Promise<ThreadName[]> {
  const one = call.text('thread')
  if (one === undefined) {
    const all = await allThreads(store)
    return call.text('tenant') === undefined ? all : all.filter(({ tenant }) => tenant === store.tenantId)
  }
  const threadId = parseAuditedId(one)
  const { version } = await store.readHead(threadId)
  if (version === 0) throw new ThreadNotFound(threadId)
  return [{ tenant: store.tenantId, threadId }]
}

async function allThreads(store: Store): Promise<ThreadName[]> {
  const all: ThreadName[] = []
  let after: Name | undefined
  do {
    const { threads, next } = await store.threads({ limit: 500, ...(after ? { after } : {}) })
    for (const { tenantId, threadId } of threads) all.push({ tenant: tenantId, threadId })
    after = next
  } while (after)
  return all
}
