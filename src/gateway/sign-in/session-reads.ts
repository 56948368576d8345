import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RecordStore } from '../../ports/records.ts'
import type { Caller } from '../auth/auth.ts'
import { callerOf, SESSION_KIND, toSession } from './session-records.ts'

/** How many sessions one read takes: an answer is kept in memory as a whole. */
const MOST = 500

/** Values of session records by id. */
type Values = ReadonlyMap<string, string>

/** A read that has not begun. */
interface NextRead {
  readonly ids: Set<string>
  readonly values: Promise<Values>
}

/**
 * Reads the sessions of live streams again and again. Those that are asked for in one turn of the event loop are read together: a change wakes all streams
 * of its tenant at once. A read begins after everybody who shares it has asked, so it finds each session as it is then or later.
 */
export class SessionReads {
  readonly #records: (tenant: string) => RecordStore | undefined
  readonly #next = new Map<string, NextRead>()

  constructor(records: (tenant: string) => RecordStore | undefined) {
    this.#records = records
  }

  /** Follows a session. The function that it returns says who its person is now. `undefined`: the session has ended. */
  follow(tenant: string, id: string): () => Promise<Caller | undefined> {
    let known: string | undefined
    let caller: Caller | undefined
    return async () => {
      const value = await this.#valueOf(tenant, id)
      if (value !== known) {
        const session = value === undefined ? undefined : toSession({ id, value })
        caller = session && callerOf(tenant, session)
        known = value
      }
      return caller
    }
  }

  async #valueOf(tenant: string, id: string): Promise<string | undefined> {
    const next = this.#next.get(tenant) ?? this.#prepare(tenant)
    next.ids.add(id)
    return (await next.values).get(id)
  }

  #prepare(tenant: string): NextRead {
    const ids = new Set<string>()
    const values = nextTurn().then(() => {
      this.#next.delete(tenant)
      return this.#read(tenant, [...ids])
    })
    const next = { ids, values }
    this.#next.set(tenant, next)
    return next
  }

  async #read(tenant: string, ids: readonly string[]): Promise<Values> {
    const parts = Array.from({ length: Math.ceil(ids.length / MOST) }, (_, n) => ids.slice(n * MOST, (n + 1) * MOST))
    const found = await Promise.all(parts.map((part) => this.#records(tenant)?.readRecords(SESSION_KIND, part) ?? []))
    return new Map(found.flat().map(({ id, value }) => [id, value]))
  }
}
