import { sleep } from '../../../ports/clock.ts'
import {
  StoreBusy,
  StoreCorrupt,
  StoreFailed,
  StoreMissing,
  StoreNewer,
  StoreOutdated,
} from '../../../protocol/errors/errors.ts'
import type { OnWarning } from '../../shared/warning.ts'
import { lockSchema, MARK_TABLE, migrationsAfter, SCHEMA_VERSION, STEPS_TABLE, STORE_TABLE } from '../tables/schema.ts'
import { codeOf } from './failure.ts'
import { type Place, prefixOf } from './place.ts'
import type { Run } from './run.ts'
import { warnOfSettings } from './server-settings.ts'

const OLDEST_SERVER = 14

/** How often to ask for the lock. */
const LOCK_MS = 50

/**
 * Makes sure that a database has the schema of a store. Creates it if needed, unless `create` is `false`.
 *
 * O1  A schema that this build is too old for, or with foreign tables, is left as it is.
 * O2  Several processes may do this at once: the schema is changed under an advisory lock, in one transaction.
 * O3  A migration that was begun by `holdpoint migrate` is only ended by it.
 * O4  Where there is nothing to do, nothing is locked, and no right to change the schema is needed.
 */
export async function openSchema(
  run: Run,
  place: Place,
  { create, onWarning, timeoutMs }: { create: boolean; onWarning: OnWarning; timeoutMs: number },
): Promise<void> {
  await checkServer(run, place)
  const version = await readVersion(run, place)
  if (version < SCHEMA_VERSION && !create) {
    throw version === 0 ? new StoreMissing(place.name) : new StoreOutdated(place.name, version, SCHEMA_VERSION)
  }
  if (version < SCHEMA_VERSION) await makeSchema(run, place, timeoutMs)
  await warnOfSettings(run, place, onWarning)
}

async function makeSchema(run: Run, place: Place, timeoutMs: number): Promise<void> {
  await beginLocked(run, place, timeoutMs)
  try {
    const version = await readVersion(run, place)
    if (version < SCHEMA_VERSION && (await hasTable(run, place, STEPS_TABLE))) {
      throw new StoreOutdated(place.name, version, SCHEMA_VERSION)
    }
    if (version < SCHEMA_VERSION) for (const sql of migrationsAfter(version, place.schema)) await run(sql)
    await run('COMMIT')
  } catch (error) {
    // A connection that broke has nothing to roll back, and its error is the one to report.
    await run('ROLLBACK').catch(() => undefined)
    throw codeOf(error) === '42P07' ? foreign(place, error) : error
  }
}

/**
 * Begins a transaction that has the lock of the schema. It asks again and again, each time in a new transaction: an index build of the holder waits for the
 * end of every transaction that had a snapshot when it looked, and so for one that asked at that moment.
 */
export async function beginLocked(run: Run, { schema, name }: Place, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    await run('BEGIN')
    const [row] = await run(lockSchema(schema, 'try'))
    if (row?.locked === 't') return
    await run('ROLLBACK')
    if (performance.now() > deadline) throw new StoreBusy(name, new Error('another process changes the tables'))
    await sleep(LOCK_MS)
  }
}

/** Refuses a server that is too old, or has another encoding. */
export async function checkServer(run: Run, { name }: Place): Promise<void> {
  const [row] = await run(
    "SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding",
  )
  const major = Math.floor(Number(row?.version) / 10_000)
  if (major < OLDEST_SERVER) {
    throw new StoreFailed(name, new Error(`this is Postgres ${major}; holdpoint needs ${OLDEST_SERVER} or newer`))
  }
  if (row?.encoding !== 'UTF8') {
    throw new StoreFailed(name, new Error(`the database has the encoding ${row?.encoding}; holdpoint needs UTF8`))
  }
}

/**
 * The version of the tables. 0: there is no store in the schema yet. Throws `StoreNewer` if this build is too old to serve it. Reads the catalogue
 * tables, because the result of `to_regclass` may be older than the lock.
 */
export async function readVersion(run: Run, { schema, name }: Place): Promise<number> {
  const marks = await run(
    'SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname IN ($2, $3)',
    [schema, MARK_TABLE, STORE_TABLE],
  )
  const names = marks.map((mark) => mark.name)
  if (!names.includes(MARK_TABLE)) return 0
  const prefix = prefixOf(schema)
  const known = `SELECT max(version) FROM ${prefix}${MARK_TABLE}`
  const [row] = names.includes(STORE_TABLE)
    ? await run(`SELECT version, greatest(oldest, (${known})) AS oldest FROM ${prefix}${STORE_TABLE}`)
    : await run(`SELECT (${known}) AS version, (${known}) AS oldest`)
  const oldest = Number(row?.oldest ?? 0)
  if (oldest > SCHEMA_VERSION) throw new StoreNewer(name, oldest, SCHEMA_VERSION)
  return Number(row?.version ?? 0)
}

/** Whether the schema has a table, by the catalogue tables. */
export async function hasTable(run: Run, { schema }: Place, table: string): Promise<boolean> {
  const rows = await run(
    'SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2',
    [schema, table],
  )
  return rows.length > 0
}

function foreign({ name }: Place, error: unknown): StoreCorrupt {
  return new StoreCorrupt(name, 'it has tables of another application', error)
}
