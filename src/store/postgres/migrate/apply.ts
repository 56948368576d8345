import { sleep } from '../../../ports/clock.ts'
import { StoreFailed } from '../../../protocol/errors/errors.ts'
import { AS_TEXT, type PgLoneClient } from '../connection/driver.ts'
import { codeOf, toStoreError } from '../connection/failure.ts'
import { loadDriver } from '../connection/load-driver.ts'
import { beginLocked, checkServer, hasTable, readVersion } from '../connection/open.ts'
import { type Place, prefixOf, toPlace } from '../connection/place.ts'
import type { Run } from '../connection/run.ts'
import { migrationsAfter, SCHEMA_VERSION, STEPS_TABLE } from '../tables/schema.ts'
import { type Step, stepsAfter } from './steps.ts'

/** Options of {@link migratePostgres}. */
export interface MigrateOptions {
  /** As a user who owns the schema, or may create it. */
  connectionString: string
  /** Default `holdpoint`. */
  schema?: string
  /** How long a statement may wait for a lock while others wait behind it. Then it is tried again. Default 1000. */
  lockTimeoutMs?: number
  /** How long to wait for another migration, and for locks in all. Default 10 minutes. */
  timeoutMs?: number
  /** Called before each step, which waits for what it returns. If it throws, the migration ends there. */
  onStep?(step: string): void | Promise<void>
}

/** What was done. */
export interface Migrated {
  from: number
  to: number
  /** The steps that were done this time. */
  steps: string[]
}

/** The part of a migration that steps need. */
interface Work {
  readonly run: Run
  readonly place: Place
  readonly lockTimeoutMs: number
  readonly deadline: number
  /** Throws once the connection with the lock is gone: another migration may be at work. */
  requireLock(): Promise<void>
}

const NEW_STORE = 'new store'

/** Requests that are changed with one statement. */
const PAGE = 1000

/**
 * Brings the tables of a store to the version of this build, while old code serves.
 *
 * N1  One migration at a time: a second one waits and then finds its work done. The lock is of a transaction that stays open on a connection of its
 *     own, so it also holds behind a proxy, and is gone when the process is.
 * N2  Whenever it is killed, the next one goes on after the last step that was recorded.
 * N3  Steps run on another connection, so one may outlive the lock, while the next migration is at work. Each try begins with a look whether the lock is
 *     held, and each transaction with the record of its step, which only one can write.
 */
export async function migratePostgres(options: MigrateOptions): Promise<Migrated> {
  const { connectionString, schema = 'holdpoint', lockTimeoutMs = 1000, timeoutMs = 600_000, onStep } = options
  const place = toPlace(schema, connectionString)
  const clients: PgLoneClient[] = []
  const connect = async () => {
    const client = await openClient(connectionString)
    clients.push(client)
    await lift(client)
    return runOn(client)
  }
  try {
    const guard = await connect()
    const run = await connect()
    await checkServer(run, place)
    await beginLocked(guard, place, timeoutMs)
    await guard('SET LOCAL idle_in_transaction_session_timeout = 0')
    const requireLock = () => holdsLock(guard, place)
    const work = { run, place, lockTimeoutMs, deadline: performance.now() + timeoutMs, requireLock }
    const from = await readVersion(run, place)
    const steps: string[] = []
    for (const step of await pendingSteps(work, from)) {
      await onStep?.(step.name)
      await doStep(work, step)
      steps.push(step.name)
    }
    return { from, to: Math.max(from, SCHEMA_VERSION), steps }
  } catch (error) {
    throw toStoreError(error, place.name)
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)))
  }
}

async function holdsLock(guard: Run, { name }: Place): Promise<void> {
  try {
    await guard('SELECT 1')
  } catch (error) {
    const message = 'the connection that held the lock of this migration is gone: run it again, and it goes on'
    throw new StoreFailed(name, new Error(message, { cause: error }))
  }
}

/** Opens a connection of its own. */
export async function openClient(connectionString: string): Promise<PgLoneClient> {
  const { Client } = await loadDriver()
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    application_name: 'holdpoint migrate',
  })
  // A connection that breaks rejects its statement; without a listener it would end the process.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/**
 * Lifts the limits of statements that the server, the database or the user has: an index takes as long as its table is large, and a build that gave way
 * would begin again. A proxy would hand the settings on to others. There only transactions have them, so an index is built within the limits.
 */
async function lift(client: PgLoneClient): Promise<void> {
  const [row] = await runOn(client)('SELECT pg_backend_pid() AS pid')
  if (row?.pid === `${client.processID}`) await runOn(client)('SET statement_timeout = 0; SET lock_timeout = 0')
}

/** Runs statements on a connection. */
export function runOn(client: PgLoneClient): Run {
  const run = (async (text: string, values?: readonly unknown[]) => {
    const { rows } = await client.query({ text, types: AS_TEXT, ...(values ? { values: [...values] } : {}) })
    return rows
  }) as Run
  run.kept = run
  return run
}

/** The steps that are left. Where nothing is yet, all is made at once. */
async function pendingSteps({ run, place }: Work, from: number): Promise<Step[]> {
  const { schema } = place
  if (from >= SCHEMA_VERSION) return []
  if (from === 0) {
    const sql = migrationsAfter(0, schema).join('\n')
    return [{ kind: 'statements', name: NEW_STORE, sql }]
  }
  await run(
    `CREATE TABLE IF NOT EXISTS ${prefixOf(schema)}${STEPS_TABLE} (name text PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())`,
  )
  return stepsLeft(run, place, from)
}

/** The steps that are not recorded. */
export async function stepsLeft(run: Run, place: Place, from: number): Promise<Step[]> {
  const begun = await hasTable(run, place, STEPS_TABLE)
  const rows = begun ? await run(`SELECT name FROM ${prefixOf(place.schema)}${STEPS_TABLE}`) : []
  const done = new Set(rows.map((row) => row.name))
  return stepsAfter(from, place.schema).filter((step) => !done.has(step.name))
}

async function doStep(work: Work, step: Step): Promise<void> {
  const { run, place } = work
  const prefix = prefixOf(place.schema)
  const record = () => run(`INSERT INTO ${prefix}${STEPS_TABLE} (name) VALUES ($1)`, [step.name])
  switch (step.kind) {
    case 'statements':
      return inTransaction(work, async () => {
        // A new store has no such table, and its statements can be done only once.
        if (step.name !== NEW_STORE) await record()
        await run(step.sql)
      })
    case 'index': {
      const next = `${step.index}_next`
      await buildIndex(work, { index: next, on: step.on })
      return inTransaction(work, async () => {
        await record()
        await run(`DROP INDEX IF EXISTS ${prefix}${step.index}; ALTER INDEX ${prefix}${next} RENAME TO ${step.index}`)
      })
    }
    case 'pages':
      await changePages(work, step)
      return inTransaction(work, async () => void (await record()))
    default:
      step satisfies never
  }
}

/** An index of that name is left of a build that was interrupted: valid if only the rest of the step is missing. */
async function buildIndex(work: Work, { index, on }: { index: string; on: string }): Promise<void> {
  const { run, place } = work
  const prefix = prefixOf(place.schema)
  await patiently(work, async () => {
    const [found] = await run(
      `SELECT i.indisvalid AS valid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       WHERE c.relnamespace = $1::regnamespace AND c.relname = $2`,
      [`"${place.schema}"`, index],
    )
    if (found?.valid === 't') return
    if (found) await run(`DROP INDEX CONCURRENTLY ${prefix}${index}`)
    await run(`CREATE INDEX CONCURRENTLY ${index} ON ${on}`)
  })
}

/** Changes requests by tenant and id, each page in a transaction of its own. Rows that others lock are waited for. */
async function changePages(work: Work, { set, where }: Extract<Step, { kind: 'pages' }>): Promise<void> {
  const { run, place } = work
  const requests = `${prefixOf(place.schema)}requests`
  let after: readonly unknown[] = ['', '']
  for (;;) {
    const [last] = await patiently(work, () =>
      run(
        `WITH page AS (SELECT tenant, id FROM ${requests} WHERE (tenant, id) > ($1, $2) ORDER BY tenant, id LIMIT ${PAGE}),
         changed AS (UPDATE ${requests} r SET ${set} FROM page p WHERE r.tenant = p.tenant AND r.id = p.id AND ${where})
         SELECT tenant, id FROM page ORDER BY tenant DESC, id DESC LIMIT 1`,
        after,
      ),
    )
    if (!last) return
    after = [last.tenant, last.id]
  }
}

async function inTransaction(work: Work, act: () => Promise<void>): Promise<void> {
  const { run, lockTimeoutMs } = work
  await patiently(work, async () => {
    await run('BEGIN')
    try {
      await run(`SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = ${lockTimeoutMs}`)
      await act()
      await run('COMMIT')
    } catch (error) {
      await run('ROLLBACK').catch(() => undefined)
      throw error
    }
  })
}

/** Tries again what gave way to others: a lock that was not free (55P03), or a deadlock (40P01). */
async function patiently<T>({ deadline, place, requireLock }: Work, act: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    await requireLock()
    try {
      return await act()
    } catch (error) {
      const code = codeOf(error)
      if (code !== '55P03' && code !== '40P01') throw error
      if (performance.now() > deadline) throw new StoreFailed(place.name, error)
      await sleep(Math.min(5000, 100 * 2 ** tries))
    }
  }
}
