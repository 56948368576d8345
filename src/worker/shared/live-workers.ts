import { z } from 'zod'
import { type RecordChange, type StoredRecord, SYSTEM_TENANT } from '../../ports/records.ts'
import type { Store } from '../../ports/store.ts'
import { requireStore } from '../../protocol/checks/check-options.ts'
import { routeOf } from './routes.ts'

/** The kind of the records of live workers. */
const WORKER = 'worker'
/** A worker that did not say so for this long is not alive. It says so three times as often. */
export const ALIVE_MS = 15_000

const value = z.object({ routes: z.array(z.string()), since: z.number() })

/** A worker that is alive, as it last said. */
export interface LiveWorker {
  id: string
  /** What it can drive: see `routeOf`. */
  routes: readonly string[]
  /** When it was started, and when it last said that it is alive: times of the store. */
  since: number
  at: number
}

/** The record by which a worker says that it is alive. */
export function aliveRecord({ id, routes, since }: Omit<LiveWorker, 'at'>): RecordChange {
  return { op: 'put', kind: WORKER, id, value: JSON.stringify({ routes, since }), ttlMs: ALIVE_MS }
}

/** The record by which workers say that they drive the threads of a store. It stays when they are gone. */
export const usedRecord: RecordChange = { op: 'put', kind: 'workers', id: 'used', value: '1' }

/** Whether workers drive the threads of a store, also if none is alive now. */
export async function usesWorkers(store: Store): Promise<boolean> {
  const { kind, id } = usedRecord
  return (await store.tenant(SYSTEM_TENANT).readRecord(kind, id)) !== undefined
}

/** Removes the record of a worker that takes nothing more. */
export function goneRecord(id: string): RecordChange {
  return { op: 'delete', kind: WORKER, id }
}

/** The workers on a store, of all tenants, that are alive. */
export async function liveWorkers(store: Store): Promise<LiveWorker[]> {
  requireStore('liveWorkers()', store)
  const records = store.tenant(SYSTEM_TENANT)
  const found: LiveWorker[] = []
  let cursor: string | undefined
  do {
    const page = await records.findRecords({ kind: WORKER, limit: 500, ...(cursor === undefined ? {} : { cursor }) })
    found.push(...page.records.map(toWorker))
    cursor = page.next
  } while (cursor !== undefined)
  return found
}

/** The routes of all live workers. */
export async function liveRoutes(store: Store): Promise<ReadonlySet<string>> {
  requireStore('liveRoutes()', store)
  return new Set((await liveWorkers(store)).flatMap(({ routes }) => routes))
}

/** Whether a live worker has this version of an agent. */
export async function isServed(store: Store, agent: string, version: string | null): Promise<boolean> {
  return (await liveRoutes(store)).has(routeOf(agent, version))
}

function toWorker({ id, value: text, at }: StoredRecord): LiveWorker {
  return { id, ...value.parse(JSON.parse(text)), at }
}
