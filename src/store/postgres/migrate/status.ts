import { codeOf, toStoreError } from '../connection/failure.ts'
import { readVersion } from '../connection/open.ts'
import { channelOf, type Place, prefixOf, toPlace } from '../connection/place.ts'
import type { Run } from '../connection/run.ts'
import { OLDEST, SCHEMA_VERSION, STORE_TABLE } from '../tables/schema.ts'
import { openClient, runOn, stepsLeft } from './apply.ts'

/** SQLSTATE `undefined_table`. */
const NO_SUCH_TABLE = '42P01'
/** How often a status is read at most. A migration ends once. */
const TRIES = 3

/** How far the tables of a store are. */
export interface MigrationStatus {
  /** The version of the tables. 0: there is no store. */
  version: number
  /** The version that this build needs. */
  needed: number
  /** The oldest version of the code that can serve the tables; `null` if there are none. */
  oldest: number | null
  /** The steps that `holdpoint migrate` would do. */
  pending: string[]
  /** Who changes the tables now. */
  holder: { pid: number; application: string; sinceMs: number } | null
}

/** Shows how far the tables are. Changes and locks nothing. */
export async function migrationStatus(options: {
  connectionString: string
  schema?: string
}): Promise<MigrationStatus> {
  const { connectionString, schema = 'holdpoint' } = options
  const place = toPlace(schema, connectionString)
  const client = await openClient(connectionString).catch((error) => {
    throw toStoreError(error, place.name)
  })
  try {
    return await readStatus(runOn(client), place)
  } catch (error) {
    throw toStoreError(error, place.name)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Reads the status. If a migration ended while it was read, a table that it saw may be gone, and it is read again. */
async function readStatus(run: Run, place: Place): Promise<MigrationStatus> {
  for (let tries = 1; ; tries++) {
    try {
      const tables = await readTables(run, place)
      return { ...tables, holder: await readHolder(run, place) }
    } catch (error) {
      if (codeOf(error) !== NO_SUCH_TABLE || tries === TRIES) throw error
    }
  }
}

async function readTables(run: Run, place: Place): Promise<Omit<MigrationStatus, 'holder'>> {
  const version = await readVersion(run, place)
  const current = version >= SCHEMA_VERSION
  const steps = version === 0 ? [{ name: 'new store' }] : current ? [] : await stepsLeft(run, place, version)
  const [mark] = version > 3 ? await run(`SELECT oldest FROM ${prefixOf(place.schema)}${STORE_TABLE}`) : []
  return {
    version,
    needed: SCHEMA_VERSION,
    oldest: version === 0 ? null : Number(mark?.oldest ?? Math.min(version, OLDEST)),
    pending: steps.map(({ name }) => name),
  }
}

async function readHolder(run: Run, { schema }: Place): Promise<MigrationStatus['holder']> {
  const [held] = await run(
    `SELECT l.pid, a.application_name, extract(epoch FROM clock_timestamp() - a.xact_start) * 1000 AS since
     FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid, (SELECT hashtextextended($1, 0) AS key) k
     WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND l.classid::bigint = (k.key >> 32) & 4294967295 AND l.objid::bigint = k.key & 4294967295`,
    [channelOf(schema)],
  )
  if (!held) return null
  return {
    pid: Number(held.pid),
    application: String(held.application_name ?? ''),
    sinceMs: Math.round(Number(held.since ?? 0)),
  }
}
