import { Lag } from '../../metrics/lag.ts'
import { timeBy } from '../../ports/clock.ts'
import type { OutboxPage, OutboxRow } from '../../ports/outbox.ts'
import type { Store } from '../../ports/store.ts'
import { type Logger, repeatedErrors } from '../log.ts'
import { type EventIds, loadEventIds } from './event-ids.ts'
import { Feed } from './feed.ts'
import { OutboxReader } from './outbox-reader.ts'

/** A feed with the streams that use it. */
interface UsedFeed {
  readonly feed: Feed
  users: number
}

/** A read that resuming streams share. */
interface SharedRead {
  /** The end of the feeds when it began. */
  readonly since: string
  readonly page: Promise<OutboxPage>
}

/** A feed that is in use. `leave` must be called once. */
export interface JoinedFeed {
  readonly feed: Feed
  readonly ids: EventIds
  leave(): void
}

/** How many live streams there are, and how far behind the reader of the outbox was. */
export interface LiveFigures {
  streams: number
  lagSeconds: number
}

/** Feeds all streams of a process from one reader of the outbox, which runs while there are streams. */
export class Hub {
  readonly #store: Store
  readonly #tell: (error: unknown, message: string) => void
  readonly #feeds = new Map<string, UsedFeed>()
  readonly #reads = new Map<string, SharedRead>()
  #ids: Promise<EventIds> | undefined
  #reading: { reader: OutboxReader; started: Promise<void> } | undefined
  #end = ''
  #streams = 0
  readonly #lag = new Lag()

  constructor(store: Store, logger: Logger | undefined) {
    this.#store = store
    this.#tell = repeatedErrors(logger)
  }

  get figures(): LiveFigures {
    return { streams: this.#streams, lagSeconds: this.#lag.seconds }
  }

  /** Joins the feed of a tenant. Throws if the store does not answer. */
  async join(tenant: string): Promise<JoinedFeed> {
    this.#streams += 1
    try {
      await this.#start()
      const ids = await this.ids()
      const used = this.#feeds.get(tenant) ?? { feed: new Feed(this.#end), users: 0 }
      used.users += 1
      this.#feeds.set(tenant, used)
      return { feed: used.feed, ids, leave: once(() => this.#leave(tenant, used)) }
    } catch (error) {
      this.#left()
      throw error
    }
  }

  /**
   * A page of a tenant's rows in the outbox. Streams that resume from the same position at the same time share one read, unless the feeds have moved since it began: it may
   * lack rows that a stream which joined later does not get from its feed either.
   */
  page(tenantId: string, after: string, limit: number): Promise<OutboxPage> {
    const name = JSON.stringify([tenantId, after])
    const known = this.#reads.get(name)
    if (known?.since === this.#end) return known.page
    const read: SharedRead = { since: this.#end, page: this.#store.outbox({ tenantId, after, limit }) }
    this.#reads.set(name, read)
    const forget = (): void => {
      if (this.#reads.get(name) === read) this.#reads.delete(name)
    }
    read.page.then(forget, forget)
    return read.page
  }

  /** What makes positions and cursors opaque. Read from the store once. */
  ids(): Promise<EventIds> {
    this.#ids ??= loadEventIds(this.#store).catch((error: unknown) => {
      this.#ids = undefined
      throw error
    })
    return this.#ids
  }

  /** Stops reading. Streams end by their wait slots. */
  stop(): void {
    this.#reading?.reader.stop()
    this.#reading = undefined
  }

  #start(): Promise<void> {
    if (this.#reading) return this.#reading.started
    const reader = new OutboxReader(this.#store, {
      onRows: (rows, end) => this.#onRows(rows, end),
      onMissed: (end) => this.#onMissed(end),
      onError: (error) => this.#tell(error, 'the outbox cannot be read; live events wait'),
    })
    const started = reader.start().then(
      (end) => {
        this.#end = end
      },
      (error: unknown) => {
        this.#reading = undefined
        throw error
      },
    )
    this.#reading = { reader, started }
    return started
  }

  #leave(tenant: string, used: UsedFeed): void {
    used.users -= 1
    if (used.users === 0) this.#feeds.delete(tenant)
    this.#left()
  }

  #left(): void {
    this.#streams -= 1
    if (this.#streams === 0) this.stop()
  }

  #onRows(rows: readonly OutboxRow[], end: string): void {
    this.#end = end
    const now = timeBy(this.#store.clock)
    this.#lag.was(Math.max(0, now - (rows[0]?.at ?? now)))
    const byTenant = new Map<string, OutboxRow[]>()
    for (const row of rows) {
      if (!this.#feeds.has(row.tenantId)) continue
      const same = byTenant.get(row.tenantId)
      if (same) same.push(row)
      else byTenant.set(row.tenantId, [row])
    }
    for (const [tenant, { feed }] of this.#feeds) feed.add(byTenant.get(tenant) ?? [], end)
  }

  #onMissed(end: string): void {
    this.#end = end
    for (const { feed } of this.#feeds.values()) feed.reset(end)
  }
}

function once(act: () => void): () => void {
  let done = false
  return () => {
    if (!done) act()
    done = true
  }
}
