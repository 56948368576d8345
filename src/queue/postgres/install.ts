import type pg from 'pg'
import { QueueFailed } from '../../protocol/errors/errors.ts'
import { createTrigger, queueOfMark, TRIGGER, triggerMark } from './trigger.ts'

/** The location of the queue, and of the store whose outbox rings it. */
export interface QueuePlace {
  readonly schema: string
  readonly storeSchema: string | undefined
}

/** Changes with what {@link createFunctions} and the trigger do. */
const VERSION = 1

/**
 * `holdpoint_ring` adds a job, again if it has to: a job of this key that a worker takes just now would swallow the new one without a word.
 * Delayed rings of a thread are merged if they end in the same tenth of a second; they have keys of their own, so that they neither hold back nor
 * swallow an immediate ring. `holdpoint_rescue` is the sign of life of a consumer, and frees the jobs of consumers that give none any more.
 */
function createFunctions(schema: string): string {
  return `
CREATE TABLE IF NOT EXISTS "${schema}".holdpoint_consumers (pool text PRIMARY KEY, seen timestamptz NOT NULL);
CREATE OR REPLACE FUNCTION "${schema}".holdpoint_ring(a_task text, a_payload json, a_key text, a_delay_ms double precision) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  due timestamptz;
  job record;
BEGIN
  IF a_delay_ms > 0 THEN
    due := to_timestamp(ceil((extract(epoch FROM clock_timestamp()) * 1000 + a_delay_ms) / 100) / 10);
    a_key := a_key || '@' || due;
  END IF;
  LOOP
    job := "${schema}".add_job(a_task, a_payload, run_at => due, max_attempts => 32767, job_key => a_key);
    EXIT WHEN job.id IS NOT NULL;
  END LOOP;
END
$$;
CREATE OR REPLACE FUNCTION "${schema}".holdpoint_rescue(a_pool text, a_lost_ms double precision) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  lost_before timestamptz := now() - a_lost_ms * interval '1 millisecond';
BEGIN
  INSERT INTO "${schema}".holdpoint_consumers (pool, seen) VALUES (a_pool, now()) ON CONFLICT (pool) DO UPDATE SET seen = now();
  DELETE FROM "${schema}".holdpoint_consumers WHERE seen < lost_before;
  PERFORM "${schema}".force_unlock_workers(lost.pools) FROM (
    SELECT array_agg(DISTINCT j.locked_by) AS pools FROM "${schema}".jobs j
    WHERE j.locked_at < lost_before AND NOT EXISTS (SELECT FROM "${schema}".holdpoint_consumers c WHERE c.pool = j.locked_by)) lost
  WHERE lost.pools IS NOT NULL;
END
$$;
COMMENT ON FUNCTION "${schema}".holdpoint_rescue IS '${VERSION}';`
}

/**
 * Creates what is missing. `migrate` is graphile-worker's own part, which several processes may run at once; the rest is done by one at a time, on one
 * connection, since a small pool may have no more. A user without the right to create anything can use a queue that is complete. Resolves to the name of
 * the tables, as {@link findInstalled} does.
 */
export async function install(pool: pg.Pool, place: QueuePlace, migrate: () => Promise<void>): Promise<string> {
  const { schema, storeSchema } = place
  await migrate()
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('holdpoint queue ${schema}', 0))`)
    const rescue = `"${schema}".holdpoint_rescue(text, double precision)`
    const found = await client.query(`SELECT obj_description(to_regprocedure('${rescue}'), 'pg_proc') AS version`)
    if (found.rows[0]?.version !== `${VERSION}`) await client.query(createFunctions(schema))
    if (storeSchema !== undefined) await installTrigger(client, { schema, storeSchema })
    const made = await client.query(`SELECT ${tablesOf('$1')} AS tables`, [schema])
    await client.query('COMMIT')
    return made.rows[0].tables
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  } finally {
    client.release()
  }
}

/** The name of the tables in a schema: one that was dropped and made again has other tables, in which tasks have other numbers. */
const tablesOf = (schema: string) => `(SELECT oid::text FROM pg_namespace WHERE nspname = ${schema})`

/**
 * The name of the tables, if there still is what {@link install} makes, of this version or another one: old and new workers may share a queue. A schema
 * may be dropped, and a store restored from a backup without its trigger.
 */
export async function findInstalled(pool: pg.Pool, { schema, storeSchema }: QueuePlace): Promise<string | undefined> {
  const { rows } = await pool.query(
    `SELECT to_regprocedure($1) IS NOT NULL AS complete, ${tablesOf('$4')} AS tables,
       (SELECT obj_description(oid, 'pg_trigger') FROM pg_trigger WHERE tgrelid = to_regclass($2) AND tgname = $3) AS mark`,
    [`"${schema}".holdpoint_rescue(text, double precision)`, `"${storeSchema}".outbox`, TRIGGER, schema],
  )
  const { complete, tables, mark } = rows[0] as { complete: boolean; tables: string; mark: string | null }
  const isRung = storeSchema === undefined || (mark !== null && queueOfMark(mark) === schema)
  return complete && isRung ? tables : undefined
}

/** An outbox rings one queue: a second trigger would fill a queue that nobody consumes any more. */
async function installTrigger(client: pg.PoolClient, place: QueuePlace & { storeSchema: string }): Promise<void> {
  const { schema, storeSchema } = place
  await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('holdpoint trigger ${storeSchema}', 0))`)
  const { rows } = await client.query(
    `SELECT obj_description(oid, 'pg_trigger') AS mark FROM pg_trigger
     WHERE tgrelid = to_regclass('"${storeSchema}".outbox') AND tgname = '${TRIGGER}'`,
  )
  const mark: string | undefined = rows[0]?.mark
  const rung = mark === undefined ? undefined : queueOfMark(mark)
  if (rung !== undefined && rung !== schema) {
    throw new QueueFailed(
      `The store in the schema ${storeSchema} rings the queue in the schema ${rung}, and it rings only one. Use that queue, or, once nobody does, run DROP TRIGGER ${TRIGGER} ON "${storeSchema}".outbox and try again`,
    )
  }
  if (mark !== triggerMark(schema, VERSION)) await client.query(createTrigger({ schema, storeSchema }, VERSION))
}
