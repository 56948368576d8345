import type { Store } from '../ports/store.ts'
import type { RequestQuery, ThreadName } from '../ports/store-lists.ts'
import { conversationUnder, HOST_THREADS, hostThread, sourcePrefix } from '../protocol/conversation.ts'

/** The part of the store that lists threads. */
export type ThreadSource = Pick<Store, 'threads' | 'tenantId'>

/**
 * The threads that a name stands for: the thread of that name, and the calls of a host's conversation. A conversation is named as its host names it, or as
 * its threads begin: `gate/SOURCE/CONVERSATION`.
 */
export async function threadsNamed(
  store: ThreadSource,
  name: string,
): Promise<Pick<RequestQuery, 'threadId' | 'threadsUnder'>> {
  const threadsUnder = await conversationsNamed(store, name)
  return { threadId: name, ...(threadsUnder.length > 0 ? { threadsUnder } : {}) }
}

/** The beginnings of the threads of all conversations with a name. Costs one look-up for each source, however many calls there are. */
export async function conversationsNamed(store: ThreadSource, name: string): Promise<string[]> {
  const host = hostThread(name)
  if (host) return host.conversation !== '' && host.id === '' ? [`${name.replace(/\/$/, '')}/`] : []
  const found: string[] = []
  for await (const source of sources(store)) found.push(conversationUnder(source, name))
  return found
}

/** The sources that have calls in a tenant, as names of threads have them. */
async function* sources(store: ThreadSource): AsyncGenerator<string, void, void> {
  const { tenantId } = store
  let after: ThreadName = { tenantId, threadId: HOST_THREADS }
  for (;;) {
    const { threads } = await store.threads({ after, limit: 1 })
    const [first] = threads
    const host = first?.tenantId === tenantId ? hostThread(first.threadId) : undefined
    if (!host) return
    yield host.source
    // Behind all threads of this source: '0' is the character after '/'.
    after = { tenantId, threadId: sourcePrefix(host.source).replace(/\/$/, '0') }
  }
}
