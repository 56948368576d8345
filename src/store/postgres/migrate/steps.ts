import { addErasure } from '../../sql/erase.ts'
import { addInbox, createMark } from '../../sql/inbox-tables.ts'
import { addListColumns } from '../../sql/list-columns.ts'
import { createQueueIndex } from '../../sql/queue.ts'
import { createChunkTable, createSnapshotTable } from '../../sql/snapshot-table.ts'
import { addMacs } from '../../sql/tables.ts'
import { addWakeMarks } from '../../sql/wake.ts'
import { prefixOf } from '../connection/place.ts'
import { createFunctions, dropFunctions } from '../functions/functions.ts'
import { leaveRoom, narrowIndexes } from '../tables/indexes.ts'
import { dialectOf, MARK_TABLE, OLDEST, SCHEMA_VERSION, STEPS_TABLE, STORE_TABLE } from '../tables/schema.ts'
import { createFillIn, createOutbox, createReviewerLists, FILLED_IN } from '../tables/triggers.ts'

/** One step of a migration. It is recorded when it is done, and can be repeated until then. */
export type Step = Statements | BuiltIndex | Pages

/** Short statements, in one transaction with the record. */
interface Statements {
  readonly kind: 'statements'
  readonly name: string
  readonly sql: string
}

/** An index that is built while others write, and then takes the place of one of the same name. `on` is what follows `ON`. */
interface BuiltIndex {
  readonly kind: 'index'
  readonly name: string
  readonly index: string
  readonly on: string
}

/** Changes all requests, a page at a time. `set` and `where` are about a request `r`. */
interface Pages {
  readonly kind: 'pages'
  readonly name: string
  readonly set: string
  readonly where: string
}

/**
 * The steps from a version of the tables (not 0) to the newest.
 *
 * M1  Code of the version before can go on at each of them: columns and tables are added, functions are exchanged in one transaction.
 * M2  Rows are filled in after functions that fill in new ones took over, so none is left out. The version is raised last.
 * M3  No statement holds a lock for longer than a change of the catalogue takes.
 */
export function stepsAfter(version: number, schema: string): Step[] {
  const dialect = dialectOf(schema)
  const prefix = prefixOf(schema)
  const steps: Step[] = []
  const tables = (to: number, sql: string) => {
    const { statements, indexes } = split(sql)
    if (version >= to) return
    if (statements !== '') steps.push({ kind: 'statements', name: `version ${to}: tables`, sql: statements })
    for (const index of indexes) steps.push({ kind: 'index', name: `version ${to}: index ${index.index}`, ...index })
  }
  const mark = (to: number) => `INSERT INTO ${prefix}${MARK_TABLE} (version) VALUES (${to});`
  tables(2, `${addMacs(dialect)}${mark(2)}`)
  tables(3, mark(3))
  tables(4, inbox(schema, version))
  tables(5, narrowIndexes(prefix).replace(/DROP INDEX [^;]*;/, ''))
  tables(6, addWakeMarks(dialect))
  tables(
    7,
    `${addListColumns(dialect).replace(/UPDATE [^;]*;/, '')}${createReviewerLists(prefix)}CREATE INDEX outbox_tenant ON ${prefix}outbox (tenant, xid, no);`,
  )
  tables(8, addErasure(dialect))
  tables(9, createSnapshotTable(dialect))
  tables(10, createChunkTable(dialect))
  const functions = `${dropFunctions(prefix)}${createFunctions(prefix)}${leaveRoom(prefix)}`
  // Each version has its own: one that goes on with the migration of an earlier build must not take them for done.
  steps.push({ kind: 'statements', name: `version ${SCHEMA_VERSION}: functions`, sql: functions })
  if (version < 4)
    steps.push({ kind: 'pages', name: 'readers of requests', set: FILLED_IN(prefix), where: 'r.readers IS NULL' })
  if (version < 7) steps.push(...fillLists(prefix))
  const end = `UPDATE ${prefix}${STORE_TABLE} SET version = ${SCHEMA_VERSION}, oldest = ${OLDEST};
DROP TABLE ${prefix}${STEPS_TABLE};`
  steps.push({ kind: 'statements', name: `version ${SCHEMA_VERSION}`, sql: end })
  return steps
}

/** The mark keeps the version that is served until the end. */
function inbox(schema: string, version: number): string {
  const dialect = dialectOf(schema)
  const prefix = prefixOf(schema)
  return `${addInbox(dialect)}
ALTER TABLE ${prefix}records ADD COLUMN written bytea;
${createFillIn(prefix)}
${createOutbox(prefix)}
${createMark(dialect)}
INSERT INTO ${prefix}${STORE_TABLE} (version, oldest) VALUES (${version}, ${OLDEST});
${createQueueIndex(dialect)}`
}

/** What `addListColumns` and `fillInLists` do at once. A body that is not JSON has no lists. */
function fillLists(prefix: string): Step[] {
  const entry = (seq: string) => `FROM ${prefix}entries e WHERE e.thread = r.thread AND e.seq = ${seq}`
  return [
    {
      kind: 'pages',
      name: 'times of requests',
      set: `changed_at = coalesce((SELECT e.at ${entry('coalesce(r.changed, r.opened)')}), 0)`,
      where: 'r.changed_at = 0',
    },
    {
      kind: 'pages',
      name: 'reviewer lists of requests',
      set: `lists = (SELECT ${prefix}reviewer_lists(e.body) ${entry('r.opened')})`,
      where: `r.lists IS NULL AND EXISTS (SELECT 1 ${entry('r.opened')} AND strpos(e.body, '"reviewerLists"') > 0)`,
    },
  ]
}

/** Takes the indexes out of statements. */
function split(sql: string): { statements: string; indexes: { index: string; on: string }[] } {
  const indexes: { index: string; on: string }[] = []
  const statements = sql.replace(/CREATE INDEX (\w+) ON ([^;]*);/g, (_, index: string, on: string) => {
    indexes.push({ index, on })
    return ''
  })
  return { statements: statements.trim(), indexes }
}
