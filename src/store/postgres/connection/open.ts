import { StoreCorrupt, StoreFailed, StoreMissing, StoreNewer } from '../../../protocol/errors/errors.ts'
import type { OnWarning } from '../../shared/warning.ts'
import { codeOf } from '../failure.ts'
import { lockSchema, MARK_TABLE, migrationsAfter, SCHEMA_VERSION, STORE_TABLE } from '../schema.ts'
import { type Place, prefixOf } from './place.ts'
import type { Run } from './run.ts'
import { warnOfSettings } from './server-settings.ts'

const OLDEST_SERVER = 14

/**
 * Makes sure that a database has the schema of a store. Creates it if needed, unless `create` is `false`.
 *
 * O1  A schema that this build is too old for, or with foreign tables, is left as it is.
 * O2  Several processes may do this at once: the schema is changed under an advisory lock, in one transaction.
 * O3  Where there is nothing to do, nothing is locked, and no right to change the schema is needed.
 */
export async function openSchema(
  run: Run,
  place: Place,
  { create, onWarning }: { create: boolean; onWarning: OnWarning },
): Promise<void> {
  await checkServer(run, place)
  if ((await readVersion(run, place)) < SCHEMA_VERSION) await makeSchema(run, place, create)
  await warnOfSettings(run, place, onWarning)
}

async function makeSchema(run: Run, place: Place, create: boolean): Promise<void> {
  if (!create) throw new StoreMissing(place.name)
  await run('BEGIN')
  try {
    await run(lockSchema(place.schema))
    const version = await readVersion(run, place)
    if (version < SCHEMA_VERSION) for (const sql of migrationsAfter(version, place.schema)) await run(sql)
    await run('COMMIT')
  } catch (error) {
    // A connection that broke has nothing to roll back, and its error is the one to report.
    await run('ROLLBACK').catch(() => undefined)
    throw codeOf(error) === '42P07' ? foreign(place, error) : error
  }
}

async function checkServer(run: Run, { name }: Place): Promise<void> {
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
async function readVersion(run: Run, { schema, name }: Place): Promise<number> {
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

function foreign({ name }: Place, error: unknown): StoreCorrupt {
  return new StoreCorrupt(name, 'it has tables of another application', error)
}
