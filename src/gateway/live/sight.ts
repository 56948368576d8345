import { listsOf, maySee, type ReviewerLists, seesAll } from '../../core/access.ts'
import type { Store } from '../../ports/store.ts'
import type { StoredRequest } from '../../ports/store-lists.ts'
import { parseBody } from '../../protocol/entries/versions.ts'
import { HoldpointError } from '../../protocol/errors/errors.ts'
import type { Caller } from '../auth/auth.ts'
import { errorFields, type Logger } from '../log.ts'
import type { FeedItem } from './feed.ts'

/** How many requests of a thread are looked at to tell whether somebody sees the thread. */
const THREAD_REQUESTS = 500

/**
 * Tells whether a caller may see what a row is about, by what the store says now. The read does not depend on the caller, so all streams of a tenant
 * share it. A request that is gone, or can never be read, is seen by nobody.
 */
export class Sight {
  /** The store of the tenant. */
  readonly #store: Store
  readonly #logger: Logger | undefined

  constructor(store: Store, logger: Logger | undefined) {
    this.#store = store
    this.#logger = logger
  }

  async maySee(caller: Caller, item: FeedItem): Promise<boolean> {
    const { row } = item
    switch (row.subject) {
      case 'request': {
        const [lists] = await item.shared('request', () => this.#listsOfRequest(row.id))
        return lists !== undefined && maySee(caller, lists)
      }
      case 'grant': {
        // A grant belongs to its thread: whoever sees a request of the thread sees its grants.
        if (seesAll(caller)) return true
        const all = await item.shared('thread', () => this.#listsOfThread(row.threadId))
        return all.some((lists) => maySee(caller, lists))
      }
      default:
        return row.subject satisfies never
    }
  }

  async #listsOfRequest(id: string): Promise<ReviewerLists[]> {
    const stored = await this.#unlessBroken(() => this.#store.getRequest(id))
    return stored ? this.#listsIn(stored) : []
  }

  async #listsOfThread(threadId: string): Promise<ReviewerLists[]> {
    const page = await this.#unlessBroken(() => this.#store.findRequests({ threadId, limit: THREAD_REQUESTS }))
    return (page?.requests ?? []).flatMap((each) => this.#listsIn(each))
  }

  /** The lists of a request, or nothing. */
  #listsIn({ threadId, opened }: StoredRequest): [] | [ReviewerLists] {
    try {
      const entry = parseBody(opened.body, { threadId, seq: opened.seq })
      return entry.type === 'request.opened' ? [listsOf(entry)] : []
    } catch (error) {
      this.#tell(error)
      return []
    }
  }

  async #unlessBroken<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read()
    } catch (error) {
      if (!HoldpointError.isInstance(error) || error.code !== 'store_corrupt') throw error
      this.#tell(error)
      return undefined
    }
  }

  #tell(error: unknown): void {
    this.#logger?.error(errorFields(error), 'a live event is left out: what it is about cannot be read')
  }
}
