import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { type Clock, systemClock } from '../../src/ports/clock.ts'
import type { Store } from '../../src/ports/store.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { sqliteStore } from '../../src/store/sqlite/store.ts'
import { freshSchema, usePostgres } from '../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../support/stores/unsynced-postgres.ts'

/** Makes stores over the same data: as many as a test has processes in mind. */
export type OpenStore = () => Store

/** Makes the stores of one race. */
export type RacePlace = (clock?: Clock) => OpenStore

/**
 * Where the same race is run: in memory (one object for all), in one file or one schema that each contender opens for itself. Call it at the top of
 * a test file: it starts a server for that file.
 */
export function racePlaces(): [string, RacePlace][] {
  const server = usePostgres()
  return [
    [
      'in memory',
      (clock = systemClock) => {
        const store = memoryStore({ clock })
        return () => store
      },
    ],
    [
      'in one SQLite file',
      (clock = systemClock) => {
        const dir = mkdtempSync(join(tmpdir(), 'holdpoint-races-'))
        const opened: Store[] = []
        onTestFinished(async () => {
          await Promise.all(opened.map((store) => store.close()))
          rmSync(dir, { recursive: true, force: true })
        })
        return () => {
          const store = sqliteStore({ path: join(dir, 'store.db'), durability: 'process', clock })
          opened.push(store)
          return store
        }
      },
    ],
    [
      'in one Postgres schema',
      (clock) => {
        const schema = freshSchema()
        const pool = new pg.Pool({ connectionString: server.get().connectionString, max: 20 })
        pool.on('error', () => undefined)
        const opened: Store[] = []
        onTestFinished(async () => {
          await Promise.all(opened.map((store) => store.close()))
          await pool.end()
        })
        return () => {
          const store = unsyncedPostgres({ pool, schema, ...(clock && { clock }) })
          opened.push(store)
          return store
        }
      },
    ],
  ]
}
