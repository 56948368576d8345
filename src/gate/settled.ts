import { toHitlRequest } from '../core/views/request-view.ts'
import { findRequest } from '../desk/find.ts'
import { pause } from '../ports/clock.ts'
import { drivingChanges, type OutboxRow } from '../ports/outbox.ts'
import { type RecordChange, SYSTEM_TENANT } from '../ports/records.ts'
import { warn } from '../ports/warnings.ts'
import { parseBody } from '../protocol/entries/versions.ts'
import { HitlNoPendingRequest, InputInvalid, isThreadErased, messageOf } from '../protocol/errors/errors.ts'
import { consume } from '../webhooks/consume.ts'
import { CURSOR } from '../webhooks/cursor.ts'
import type { Bookmarks } from './bookmarks.ts'
import type { GateSettings } from './settings.ts'
import type { Gate } from './types.ts'

type Wake = Parameters<Gate['onSettled']>[0]

/** Requests whose wake failed, and is tried again. The id is the gate's name and the request's id. */
const GATE_WAKE = 'gate-wake'
const RETRY_MS = 2_000
/** As long as the outbox is kept at least. */
const KEPT_MS = 7 * 86_400_000

/**
 * Tells a host of its settled requests, at least once.
 *
 * O1  The cursor moves only after each request of its rows was told, or kept to be told later: both are one write.
 * O2  A wake that fails delays no other.
 */
export function onSettled(settings: GateSettings, bookmarks: Bookmarks, wake: Wake): AsyncDisposable {
  if (typeof wake !== 'function') throw new InputInvalid('onSettled() needs a function.')
  const stop = new AbortController()
  const teller = new Teller(settings, bookmarks, wake)
  const work = Promise.all([teller.follow(stop.signal), teller.repeat(stop.signal)])
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await work
    },
  }
}

class Teller {
  readonly #settings: GateSettings
  readonly #bookmarks: Bookmarks
  readonly #wake: Wake
  readonly #name: string

  constructor(settings: GateSettings, bookmarks: Bookmarks, wake: Wake) {
    this.#settings = settings
    this.#bookmarks = bookmarks
    this.#wake = wake
    this.#name = `gate/${settings.store.tenantId}/${settings.source}`
  }

  /** Reads the outbox until the signal fires. The first reader of a gate begins with the oldest row. */
  async follow(signal: AbortSignal): Promise<void> {
    const { store } = this.#settings
    const fail = (error: unknown) => this.#fail(error)
    while (!signal.aborted) {
      try {
        const begin = { op: 'put', kind: CURSOR, id: this.#name, value: '', expect: 0 } as const
        await store.tenant(SYSTEM_TENANT).writeRecords([begin])
        break
      } catch (error) {
        fail(error)
        await pause(RETRY_MS, { signal })
      }
    }
    await consume(
      store,
      { name: this.#name, handle: (rows) => this.#handle(rows), onMissed: () => undefined, onError: fail },
      signal,
    )
  }

  /** Tries again what failed, until the signal fires. */
  async repeat(signal: AbortSignal): Promise<void> {
    const records = this.#settings.store.tenant(SYSTEM_TENANT)
    while (!signal.aborted) {
      await pause(RETRY_MS, { signal })
      if (signal.aborted) return
      try {
        const { records: kept } = await records.findRecords({ kind: GATE_WAKE, prefix: `${this.#name}/`, limit: 100 })
        for (const { id, value, version } of kept) {
          if (await this.#tell(value))
            await records.writeRecords([{ op: 'delete', kind: GATE_WAKE, id, expect: version }])
        }
      } catch (error) {
        this.#fail(error)
      }
    }
  }

  async #handle(rows: readonly OutboxRow[]): Promise<{ changes: RecordChange[] }> {
    const { tenantId } = this.#settings.store
    const own = rows.filter(
      (row) => row.subject === 'request' && row.tenantId === tenantId && drivingChanges.includes(row.what),
    )
    const changes = await Promise.all(
      [...new Set(own.map(({ id }) => id))].map(async (id): Promise<RecordChange[]> => {
        if (await this.#tell(id)) return []
        return [{ op: 'put', kind: GATE_WAKE, id: `${this.#name}/${id}`, value: id, ttlMs: KEPT_MS }]
      }),
    )
    return { changes: changes.flat() }
  }

  /** Tells of one request. `false` if the wake failed. A request of somebody else, or one that was erased, is nothing to tell of. */
  async #tell(id: string): Promise<boolean> {
    const told = await this.#find(id)
    if (!told) return true
    try {
      await this.#wake(told.request, await this.#bookmarks.get(told.conversation))
      return true
    } catch (error) {
      this.#fail(error)
      return false
    }
  }

  async #find(id: string): Promise<{ request: ReturnType<typeof toHitlRequest>; conversation: string } | undefined> {
    const { store, source } = this.#settings
    try {
      const facts = await findRequest(store, id)
      if (facts.opened.driver !== 'external') return undefined
      const { threadId } = facts
      const [first] = (await store.read(threadId)).entries
      const opened = first && parseBody(first.body, { threadId, seq: first.seq })
      if (opened?.type !== 'run.opened' || opened.host?.source !== source) return undefined
      return { request: toHitlRequest(facts), conversation: opened.host.conversation }
    } catch (error) {
      if (error instanceof HitlNoPendingRequest || isThreadErased(error)) return undefined
      throw error
    }
  }

  #fail(error: unknown): void {
    warn(
      'gate_wake_failed',
      `The host of gate ${this.#settings.source} could not be told of a request: ${messageOf(error)}`,
    )
  }
}
