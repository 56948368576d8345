import type { Client } from 'pg'
import { type Finding, failure, ok, warning } from './finding.ts'
import { migrateCommand, roleCommand } from './migrate-command.ts'

/** The queue of workers in a Postgres database, and how they use it. */
export interface QueueInPostgres {
  readonly schema: string
  readonly storeSchema: string
  /** The store is in the same database: a trigger on its outbox rings the queue. */
  readonly isOfStore: boolean
  /** The option that names the store. */
  readonly store: string
  /** The role is told to erase old threads. */
  readonly erases: boolean
  /** Workers create what is missing. */
  readonly creates: boolean
}

interface Seen {
  readonly who: string
  readonly installed: boolean
  readonly trigger: boolean
  readonly may_create: boolean
}

/** Checks whether a queue is there, or will be, and whether the role may ring and consume it. */
export async function checkQueueTables(client: Client, place: QueueInPostgres): Promise<Finding[]> {
  const { schema, isOfStore, creates, erases: erase, store } = place
  const seen = await look(client, place)
  const target = { schema: place.storeSchema, queueSchema: schema }
  const prepare = `As the owner run ${migrateCommand({ ...target, store })}`
  const migrate = `${prepare}, and then the script that ${roleCommand({ ...target, role: seen.who, erase })} prints.`
  if (!seen.installed) {
    const may = creates && seen.may_create
    if (may) return [ok('queue schema', `There is no queue in the schema ${schema} yet: the first worker creates it`)]
    const why = creates ? `and the role ${seen.who} may not create it` : 'and workers are told not to create it'
    return [failure('queue schema', `There is no queue in the schema ${schema}, ${why}.`, migrate)]
  }
  const lacking = await lackingTables(client, schema)
  return [
    ok('queue schema', `The queue is in the schema ${schema}`),
    lacking.length === 0
      ? ok('queue rights', `The role ${seen.who} may ring and consume`)
      : failure('queue rights', `The role ${seen.who} may not ring and consume: ${lacking.join(', ')}.`, migrate),
    ...(!isOfStore || seen.trigger || creates
      ? []
      : [
          warning(
            'queue trigger',
            'The store does not ring the queue by itself: workers ring for its decisions, a moment later.',
            `${prepare}.`,
          ),
        ]),
  ]
}

/** By the catalogue: a role without a right to a schema may not name what is in it. */
async function look(client: Client, { schema, isOfStore, storeSchema }: QueueInPostgres): Promise<Seen> {
  const { rows } = await client.query<Seen>(
    `SELECT current_user AS who,
       EXISTS (SELECT FROM pg_proc p WHERE p.pronamespace = s.oid AND p.proname = 'holdpoint_rescue') AS installed,
       EXISTS (SELECT FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = $2 AND c.relname = 'outbox' AND t.tgname = 'holdpoint_ring'
           AND split_part(obj_description(t.oid, 'pg_trigger'), ' ', 1) = $1) AS trigger,
       CASE WHEN s.oid IS NULL THEN has_database_privilege(current_database(), 'CREATE')
         ELSE has_schema_privilege(s.oid, 'CREATE') END AS may_create
     FROM (SELECT) AS one LEFT JOIN pg_namespace s ON s.nspname = $1`,
    [schema, isOfStore ? storeSchema : null],
  )
  return rows[0]!
}

/** The tables of the queue that the role may not write, or in which row security hides every row from it. */
async function lackingTables(client: Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ relname: string }>(
    `SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_roles r ON r.rolname = current_user
     WHERE n.nspname = $1 AND c.relkind = 'r' AND c.relname <> 'migrations' AND (
       NOT has_schema_privilege(n.oid, 'USAGE') OR
       NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT') AND
         has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE')) OR
       (c.relrowsecurity AND NOT (r.rolsuper OR r.rolbypassrls OR pg_has_role(c.relowner, 'USAGE')) AND
         NOT EXISTS (SELECT FROM pg_policies p WHERE p.schemaname = $1 AND p.tablename = c.relname AND (current_user = ANY (p.roles) OR 'public' = ANY (p.roles)))))
     ORDER BY c.relname`,
    [schema],
  )
  return rows.map(({ relname }) => relname)
}
