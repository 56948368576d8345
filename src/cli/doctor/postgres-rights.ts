import type { Client } from 'pg'
import { RIGHTS_OF_TENANT, RIGHTS_TO_ERASE, type TableRights } from '../../store/postgres/migrate/role.ts'
import { STORE_TABLE } from '../../store/postgres/tables/schema.ts'
import { type Finding, failure, ok, warning } from './finding.ts'
import { roleCommand } from './migrate-command.ts'

/** The role that is connected, and what it may do beside reading and writing rows. */
interface Role {
  readonly who: string
  readonly super: boolean
  readonly bypass: boolean
  readonly creates: boolean
}

/** Where the tables are, and whether the role is told to erase old threads. */
export interface Rights {
  readonly schema: string
  readonly erases: boolean
}

/** Checks that the role may do all that serving needs, also in tables that the last migration added, and no more. */
export async function checkRights(client: Client, { schema, erases }: Rights): Promise<Finding[]> {
  const { rows } = await client.query<Role>(
    `SELECT current_user AS who, r.rolsuper AS super, r.rolbypassrls AS bypass, has_schema_privilege($1, 'CREATE') AS creates
     FROM pg_roles r WHERE r.rolname = current_user`,
    [schema],
  )
  const { who, super: isSuper, bypass, creates } = rows[0] ?? { who: '', super: false, bypass: false, creates: false }
  const lacking = await lackingRights(client, schema)
  if (lacking !== undefined) {
    const erase = erases || (await readEraser(client, schema)).mayErase
    const script = roleCommand({ role: who, schema, erase })
    return [
      failure(
        'rights',
        `The role ${who} may not ${lacking}.`,
        `As the owner run the script that ${script} prints, as after each migration.`,
      ),
    ]
  }
  if (isSuper || bypass)
    return [
      warning(
        'rights',
        `The role ${who} is a superuser or bypasses row security.`,
        'Serve with a role of its own, which owns nothing.',
      ),
    ]
  if (creates)
    return [
      warning(
        'rights',
        `The role ${who} may change the schema.`,
        'Migrate with another role, and serve with one that may only read and write rows.',
      ),
    ]
  return [ok('rights', `The role ${who} may read and write, and not change the schema`)]
}

/** What the role may not do, in words. */
async function lackingRights(client: Client, schema: string): Promise<string | undefined> {
  const { rows } = await client.query<{ enters: boolean; closed: string }>(
    `SELECT has_schema_privilege($1, 'USAGE') AS enters, (SELECT count(*) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
       WHERE n.nspname = $1 AND p.prorettype <> 'trigger'::regtype AND NOT has_function_privilege(p.oid, 'EXECUTE')) AS closed`,
    [schema],
  )
  const { enters = true, closed = '0' } = rows[0] ?? {}
  if (!enters) return `use the schema ${schema}`
  const tables = await lackingTables(client, schema, RIGHTS_OF_TENANT)
  if (tables.length > 0) return `read and write all tables: ${tables.join(', ')}`
  return closed === '0' ? undefined : `call ${closed} of the functions in the schema ${schema}`
}

/** Whether the role may read which version the tables have. */
export async function mayReadVersion(client: Client, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    `SELECT has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') AS may
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2`,
    [schema, STORE_TABLE],
  )
  return rows[0]?.may ?? false
}

/** The role that is connected, and whether it may erase threads. Erasing changes entries, which serving does not need. */
export async function readEraser(client: Client, schema: string): Promise<{ who: string; mayErase: boolean }> {
  const { rows } = await client.query<{ who: string }>('SELECT current_user AS who')
  const lacking = await lackingTables(client, schema, RIGHTS_TO_ERASE)
  return { who: rows[0]?.who ?? '', mayErase: lacking.length === 0 }
}

/** Checks whether the role may erase threads, if it has to. */
export async function checkErasing(client: Client, { schema, erases }: Rights): Promise<Finding[]> {
  const { who, mayErase } = await readEraser(client, schema)
  if (mayErase) return [ok('rights to erase', `The role ${who} may erase threads`)]
  if (!erases) return [ok('rights to erase', `The role ${who} may not erase threads, and retention is off`)]
  return [
    failure(
      'rights to erase',
      `Retention is on, and the role ${who} may not erase threads.`,
      `As the owner run the script that ${roleCommand({ role: who, schema, erase: true })} prints, or leave retention to another process.`,
    ),
  ]
}

/** The tables of a schema in which the role lacks one of these rights. Those that a migration has not made yet are not among them. */
async function lackingTables(client: Client, schema: string, rights: TableRights): Promise<string[]> {
  const pairs = Object.entries(rights).flatMap(([table, list]) => list.split(', ').map((right) => [table, right]))
  const { rows } = await client.query<{ relname: string }>(
    `SELECT DISTINCT c.relname FROM unnest($2::text[], $3::text[]) AS q(name, allowed)
     JOIN pg_class c ON c.relname = q.name JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND NOT has_table_privilege(c.oid, q.allowed) ORDER BY c.relname`,
    [schema, pairs.map(([table]) => table), pairs.map(([, right]) => right)],
  )
  return rows.map(({ relname }) => relname)
}
