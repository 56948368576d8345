import type { Store } from '../ports/store.ts'
import type { RequestQuery, ThreadName, ThreadPage } from '../ports/store-lists.ts'
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
async function conversationsNamed(store: ThreadSource, name: string): Promise<string[]> {
  const host = hostThread(name)
  if (host) return host.conversation !== '' && host.id === '' ? [`${name.replace(/\/$/, '')}/`] : []
  const found: string[] = []
  for await (const source of sources(store)) found.push(conversationUnder(source, name))
  return found
}

/** The threads of all conversations with a name, but those that are erased. */
export async function callThreads(store: ThreadSource, name: string): Promise<string[]> {
  const found: string[] = []
  for (const start of await conversationsNamed(store, name)) {
    let after: ThreadName | undefined = { tenantId: store.tenantId, threadId: start }
    while (after) {
      const page: ThreadPage = await store.threads({ after, before: Number.MAX_SAFE_INTEGER, limit: 500 })
      const own = page.threads.filter((each) => isUnder(store, start, each))
      found.push(...own.map(({ threadId }) => threadId))
      after = page.next && isUnder(store, start, page.next) ? page.next : undefined
    }
  }
  return found
}

function isUnder({ tenantId }: ThreadSource, start: string, name: ThreadName): boolean {
  return name.tenantId === tenantId && name.threadId.startsWith(start)
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
