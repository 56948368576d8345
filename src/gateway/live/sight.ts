import { listsOf, maySee, type ReviewerLists, seesAll } from '../../core/access.ts'
import type { Store } from '../../ports/store.ts'
import type { StoredRequest } from '../../ports/store-lists.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import { parseBody } from '../../protocol/entries/versions.ts'
import { HoldpointError } from '../../protocol/errors/errors.ts'
import type { Caller } from '../auth/auth.ts'
import { errorFields, type Logger } from '../log.ts'
import type { FeedItem } from './feed.ts'

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
        // A grant belongs to the request that it was given with.
        if (seesAll(caller)) return true
        const [lists] = await item.shared('grant', () => this.#listsOfGrant(row.id))
        return lists !== undefined && maySee(caller, lists)
      }
      case 'thread':
        // It is for workers.
        return false
      default:
        return row.subject satisfies never
    }
  }

  async #listsOfRequest(id: string): Promise<ReviewerLists[]> {
    const stored = await this.#unlessBroken(() => this.#store.getRequest(id))
    return stored ? this.#listsIn(stored) : []
  }

  async #listsOfGrant(id: string): Promise<ReviewerLists[]> {
    const page = await this.#unlessBroken(() => this.#store.findGrants({ id, status: 'all', limit: 1 }))
    const [found] = page?.grants ?? []
    const entry = found && this.#entryOf(found.threadId, found.created)
    return entry?.type === 'grant.created' ? this.#listsOfRequest(entry.grant.request) : []
  }

  /** The lists of a request, or nothing. */
  #listsIn({ threadId, opened }: StoredRequest): [] | [ReviewerLists] {
    const entry = this.#entryOf(threadId, opened)
    return entry?.type === 'request.opened' ? [listsOf(entry)] : []
  }

  #entryOf(threadId: string, { seq, body }: StoredRequest['opened']): Entry | undefined {
    try {
      return parseBody(body, { threadId, seq })
    } catch (error) {
      this.#tell(error)
      return undefined
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
