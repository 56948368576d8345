import { listsOf, maySee, type ReviewerLists, seesAll } from '../../core/access.ts'
import type { Store } from '../../ports/store.ts'
import type { StoredRequest } from '../../ports/store-lists.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import { parseBody } from '../../protocol/entries/versions.ts'
import { HoldpointError } from '../../protocol/errors/errors.ts'
import type { Caller } from '../auth/auth.ts'
import { errorFields, type Logger } from '../log.ts'
import type { FeedItem } from './feed.ts'

/** It is there, and cannot be read. */
const BROKEN = 'broken'

/** Who may see something. */
type Readers = ReviewerLists | 'gone' | typeof BROKEN

/** Whether a caller may see what a row is about. `gone`: nobody can any more, because it was erased. */
export type Seen = 'yes' | 'no' | 'gone'

/**
 * Tells whether a caller may see what a row is about, by what the store says now. The read does not depend on the caller, so all streams of a tenant
 * share it. A request that can never be read is seen by nobody.
 */
export class Sight {
  /** The store of the tenant. */
  readonly #store: Store
  readonly #logger: Logger | undefined

  constructor(store: Store, logger: Logger | undefined) {
    this.#store = store
    this.#logger = logger
  }

  async seen(caller: Caller, item: FeedItem): Promise<Seen> {
    const { row } = item
    switch (row.subject) {
      case 'request':
        return seenBy(caller, await item.shared('request', () => this.#listsOfRequest(row.id)))
      case 'grant':
        // A grant belongs to the request that it was given with.
        if (seesAll(caller)) return 'yes'
        return seenBy(caller, await item.shared('grant', () => this.#listsOfGrant(row.id)))
      case 'thread':
        // Others are for workers.
        return row.what === 'erased' ? 'gone' : 'no'
      default:
        return row.subject satisfies never
    }
  }

  async #listsOfRequest(id: string): Promise<Readers> {
    const stored = await this.#unlessBroken(() => this.#store.getRequest(id))
    if (stored === BROKEN) return BROKEN
    return stored ? this.#listsIn(stored) : 'gone'
  }

  async #listsOfGrant(id: string): Promise<Readers> {
    const page = await this.#unlessBroken(() => this.#store.findGrants({ id, status: 'all', limit: 1 }))
    if (page === BROKEN) return BROKEN
    const [found] = page.grants
    if (!found) return 'gone'
    const entry = this.#entryOf(found.threadId, found.created)
    return entry?.type === 'grant.created' ? this.#listsOfRequest(entry.grant.request) : BROKEN
  }

  #listsIn({ threadId, opened }: StoredRequest): Readers {
    const entry = this.#entryOf(threadId, opened)
    return entry?.type === 'request.opened' ? listsOf(entry) : BROKEN
  }

  #entryOf(threadId: string, { seq, body }: StoredRequest['opened']): Entry | undefined {
    try {
      return parseBody(body, { threadId, seq })
    } catch (error) {
      this.#tell(error)
      return undefined
    }
  }

  async #unlessBroken<T>(read: () => Promise<T>): Promise<T | typeof BROKEN> {
    try {
      return await read()
    } catch (error) {
      if (!HoldpointError.isInstance(error) || error.code !== 'store_corrupt') throw error
      this.#tell(error)
      return BROKEN
    }
  }

  #tell(error: unknown): void {
    this.#logger?.error(errorFields(error), 'a live event is left out: what it is about cannot be read')
  }
}

function seenBy(caller: Caller, readers: Readers): Seen {
  if (readers === 'gone') return 'gone'
  return readers !== BROKEN && maySee(caller, readers) ? 'yes' : 'no'
}
