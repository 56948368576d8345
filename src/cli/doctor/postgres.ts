import type { Client } from 'pg'
import { peerFailure } from '../../protocol/errors/peer-missing.ts'
import { SCHEMA_VERSION } from '../../store/postgres/tables/schema.ts'
import { checkClock } from './clock.ts'
import { type Finding, failure, ok, warning } from './finding.ts'
import { migrateCommand } from './migrate-command.ts'
import { checkErasing, checkRights, mayReadVersion, type Rights } from './postgres-rights.ts'

const OLDEST_SERVER = 14
const TIMEOUT_MS = 5000

/** A server's settings, each with the value that may lose or damage acknowledged writes. */
const UNSAFE: readonly { name: string; value: string; meaning: string }[] = [
  { name: 'fsync', value: 'off', meaning: 'a power cut may lose or corrupt acknowledged writes' },
  { name: 'full_page_writes', value: 'off', meaning: 'a power cut may corrupt pages' },
  { name: 'synchronous_commit', value: 'off', meaning: 'a crash may lose the last acknowledged writes' },
]

/** Opens a connection for the time of `work`. */
export async function withPostgres<T>(connectionString: string, work: (client: Client) => Promise<T>): Promise<T> {
  const { default: pg } = await import('pg').catch((error: unknown) => {
    throw peerFailure('holdpoint doctor', 'pg', error)
  })
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    application_name: 'holdpoint doctor',
  })
  // A connection that breaks rejects the query under way, too.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Checks a server: its version, settings and clock. */
export async function checkServer(client: Client, what: string): Promise<Finding[]> {
  const before = Date.now()
  const { rows } = await client.query<{ version: string; encoding: string; now: number }>(
    `SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding,
       (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`,
  )
  const { version = '0', encoding = '', now = 0 } = rows[0] ?? {}
  const after = Date.now()
  const major = Math.floor(Number(version) / 10_000)
  return [
    major >= OLDEST_SERVER
      ? ok(what, `Postgres ${major} answers`)
      : failure(what, `This is Postgres ${major}.`, `Use Postgres ${OLDEST_SERVER} or newer.`),
    ...(encoding === 'UTF8'
      ? []
      : [failure(what, `The database has the encoding ${encoding}.`, 'Create it with ENCODING UTF8.')]),
    checkClock(`${what} clock`, { before, server: now, after }),
    ...(await checkSettings(client, what)),
  ]
}

async function checkSettings(client: Client, what: string): Promise<Finding[]> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    'SELECT name, setting FROM pg_settings WHERE name = ANY($1)',
    [UNSAFE.map(({ name }) => name)],
  )
  const found = UNSAFE.filter(({ name, value }) => rows.some((row) => row.name === name && row.setting === value))
  if (found.length === 0) return [ok(`${what} durability`, 'fsync, full_page_writes and synchronous_commit are on')]
  return found.map(({ name, value, meaning }) =>
    warning(`${what} durability`, `${name} = ${value}: ${meaning}.`, `Set ${name} = on in postgresql.conf.`),
  )
}

/** Checks the tables of a store: whether this build can serve them, and with no more rights than it needs. `store`: the option that names it. */
export async function checkTables(
  client: Client,
  { store, ...rights }: Rights & { store: string },
): Promise<Finding[]> {
  const { schema } = rights
  const migrate = `As the owner run ${migrateCommand({ schema, store })}.`
  const { rows } = await client.query<{ relname: string; persistent: boolean }>(
    `SELECT c.relname, c.relpersistence = 'p' AS persistent FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind = 'r'`,
    [schema],
  )
  if (!rows.some(({ relname }) => relname === 'holdpoint_store'))
    return [failure('schema', `There is no store in the schema ${schema}.`, migrate)]
  const unlogged = rows.filter(({ persistent }) => !persistent).map(({ relname }) => relname)
  return [
    ...((await mayReadVersion(client, schema)) ? [await checkVersion(client, schema, migrate)] : []),
    ...(unlogged.length === 0
      ? []
      : [warning('schema', `A crash empties unlogged tables: ${unlogged.join(', ')}.`, 'ALTER TABLE … SET LOGGED.')]),
    ...(await checkRights(client, rights)),
    ...(await checkErasing(client, rights)),
  ]
}

async function checkVersion(client: Client, schema: string, migrate: string): Promise<Finding> {
  const { rows } = await client.query<{ version: number; oldest: number }>(
    `SELECT version::int, oldest::int FROM "${schema}".holdpoint_store`,
  )
  const { version = 0, oldest = 0 } = rows[0] ?? {}
  if (oldest > SCHEMA_VERSION)
    return failure(
      'schema',
      `The tables need a build of version ${oldest}; this one has ${SCHEMA_VERSION}.`,
      'Upgrade holdpoint.',
    )
  if (version < SCHEMA_VERSION)
    return failure('schema', `The tables have version ${version}, this build ${SCHEMA_VERSION}.`, migrate)
  return ok('schema', `The tables have version ${version}`)
}
