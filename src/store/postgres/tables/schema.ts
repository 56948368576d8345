import { type Dialect, placeholders } from '../../sql/dialect.ts'
import { createDueIndex, DUE_BY_COLUMNS } from '../../sql/due.ts'
import { addErasure } from '../../sql/erase.ts'
import { createGrantTable } from '../../sql/grant-table.ts'
import { addInbox, createMark } from '../../sql/inbox-tables.ts'
import { addListColumns } from '../../sql/list-columns.ts'
import { createQueueIndex } from '../../sql/queue.ts'
import { createChunkTable, createSnapshotTable } from '../../sql/snapshot-table.ts'
import { addMacs, createTables } from '../../sql/tables.ts'
import { addWakeMarks } from '../../sql/wake.ts'
import { channelOf, checkSchema, prefixOf } from '../connection/place.ts'
import { createFunctions, dropFunctions } from '../functions/functions.ts'
import { DUE, leaveRoom, narrowIndexes } from './indexes.ts'
import { createOutbox, fillIn, fillInLists } from './triggers.ts'

/** The version of the tables that this build makes and serves. */
export const SCHEMA_VERSION = 11

/** The oldest build that can serve these tables. Builds up to version 3 read it in {@link MARK_TABLE}, and refuse a higher one than their own. */
export const OLDEST = 3

/** The Postgres dialect of the SQL stores, for a schema. */
export function dialectOf(schema: string): Dialect {
  return {
    prefix: prefixOf(schema),
    key: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    integer: 'bigint',
    real: 'double precision',
    time: 'double precision',
    text: 'text COLLATE "C"',
    blob: 'bytea',
    ordered: '',
    hex: (bytes) => `encode(${bytes}, 'hex')`,
    use: () => '',
    indexesAllStatuses: false,
    byChange: { tenant: `(tenant || '')`, id: `(id || '')` },
    due: DUE,
    contains: (column) => `strpos(${column}, ?) > 0`,
    eachHasOne: (column, names) => `NOT EXISTS (SELECT 1 FROM json_array_elements(${column}::json) l WHERE NOT EXISTS (
      SELECT 1 FROM json_array_elements_text(l.value) n WHERE n.value IN (${placeholders(names)})))`,
  }
}

/** Replaces `?` in the shared statements with `$1`, `$2`, …. They contain no other question mark. */
export function numbered(sql: string): string {
  let count = 0
  return sql.replaceAll('?', () => `$${++count}`)
}

/** The table that marks a schema as a holdpoint store. It has a row for each migration that earlier builds must know. */
export const MARK_TABLE = 'holdpoint_migrations'

/** The table with the version of a store and the oldest build that can serve it, since version 4. */
export const STORE_TABLE = 'holdpoint_store'

/** The table with the steps of a migration that is under way, or was interrupted. */
export const STEPS_TABLE = 'holdpoint_steps'

/** The statement that locks a schema for changes by one process at a time. `try` does not wait, and says whether it has the lock. */
export function lockSchema(schema: string, how: 'wait' | 'try' = 'wait'): string {
  const take = how === 'try' ? 'pg_try_advisory_xact_lock' : 'pg_advisory_xact_lock'
  return `SELECT ${take}(hashtextextended('${channelOf(schema)}', 0)) AS locked`
}

/** The migrations from a version to the newest (0: no tables yet). Run them in one transaction, under the lock. Version 11 changes functions only. */
export function migrationsAfter(version: number, schema: string): string[] {
  const steps = [
    first(checkSchema(schema)),
    second(schema),
    third(schema),
    fourth(schema),
    fifth(schema),
    sixth(schema),
    seventh(schema),
    addErasure(dialectOf(schema)).trim(),
    createSnapshotTable(dialectOf(schema)).trim(),
    createChunkTable(dialectOf(schema)).trim(),
  ]
  return [...steps.slice(version), last(schema)]
}

/** All migrations as a script for `psql`: to be reviewed, or run by a database administrator. */
export function migrations(schema = 'holdpoint'): string {
  return `-- holdpoint: schema ${checkSchema(schema)}, version ${SCHEMA_VERSION}. For Postgres 14 or newer, in a database with the encoding UTF8.
-- All or nothing; a second run fails and changes nothing. Users of the store need USAGE on the schema, EXECUTE on its functions,
-- SELECT on its tables, and INSERT, UPDATE and DELETE on all of them but ${MARK_TABLE} and ${STORE_TABLE}.
BEGIN;
${lockSchema(schema)};
${migrationsAfter(0, schema).join('\n')}
COMMIT;
`
}

/**
 * Rows of `threads` are updated often: pages keep free space, so that updates touch no index. `lease_append` is the append that last changed the
 * lease; `voided` holds the appends that must never be stored.
 */
function first(schema: string): string {
  const prefix = prefixOf(schema)
  return `DO $$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = '${schema}') THEN CREATE SCHEMA "${schema}"; END IF;
END $$;
CREATE TABLE ${prefix}${MARK_TABLE} (
  version integer PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now()
);
${createTables(dialectOf(schema)).trim()}
${createGrantTable(dialectOf(schema)).trim()}
${createDueIndex(prefix, DUE_BY_COLUMNS).trim()}
ALTER TABLE ${prefix}threads ADD COLUMN lease_append bytea;
ALTER TABLE ${prefix}threads SET (fillfactor = 70);
CREATE TABLE ${prefix}voided (
  id bytea PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO ${prefix}${MARK_TABLE} (version) VALUES (1);`
}

/** Since version 2 the ends of threads can be signed. */
function second(schema: string): string {
  return `${addMacs(dialectOf(schema)).trim()}
INSERT INTO ${prefixOf(schema)}${MARK_TABLE} (version) VALUES (2);`
}

/** Since version 3 functions compare the head of a thread and the holder of a lease. */
function third(schema: string): string {
  const prefix = prefixOf(schema)
  return `INSERT INTO ${prefix}${MARK_TABLE} (version) VALUES (3);`
}

/** Since version 4 there are lists for people, records and the outbox. Builds of version 3 can go on: what they call takes the same parameters. */
function fourth(schema: string): string {
  const prefix = prefixOf(schema)
  return `${addInbox(dialectOf(schema)).trim()}
${createQueueIndex(dialectOf(schema)).trim()}
ALTER TABLE ${prefix}records ADD COLUMN written bytea;
${fillIn(prefix).trim()}
${createOutbox(prefix).trim()}
${createMark(dialectOf(schema))}
INSERT INTO ${prefix}${STORE_TABLE} (version, oldest) VALUES (4, ${OLDEST});`
}

/** Since version 5 indexes are narrow, and appends can be sent together. */
function fifth(schema: string): string {
  return narrowIndexes(prefixOf(schema)).trim()
}

/** Since version 6 threads have wake marks. */
function sixth(schema: string): string {
  return addWakeMarks(dialectOf(schema)).trim()
}

/** Since version 7 requests can be listed by their last change, and counted by who may decide them. */
function seventh(schema: string): string {
  const prefix = prefixOf(schema)
  return `${addListColumns(dialectOf(schema)).trim()}
${fillInLists(prefix).trim()}
CREATE INDEX outbox_tenant ON ${prefix}outbox (tenant, xid, no);`
}

/** Functions and room in indexes are the same whichever version a schema comes from. */
function last(schema: string): string {
  const prefix = prefixOf(schema)
  return `${dropFunctions(prefix).trim()}
${createFunctions(prefix).trim()}
${leaveRoom(prefix).trim()}
UPDATE ${prefix}${STORE_TABLE} SET version = ${SCHEMA_VERSION}, oldest = ${OLDEST};`
}
