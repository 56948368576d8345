import type { Client } from 'pg'
import { RIGHTS_OF_TENANT, RIGHTS_TO_ERASE, type TableRights } from '../../store/postgres/migrate/role.ts'
import { type Finding, failure, ok, warning } from './finding.ts'

/** The role that is connected, and what it may do beside reading and writing rows. */
interface Role {
  readonly who: string
  readonly super: boolean
  readonly bypass: boolean
  readonly creates: boolean
}

/** Checks that the role may do all that serving needs, also in tables that the last migration added, and no more. */
export async function checkRights(client: Client, schema: string): Promise<Finding[]> {
  const { rows } = await client.query<Role>(
    `SELECT current_user AS who, r.rolsuper AS super, r.rolbypassrls AS bypass, has_schema_privilege($1, 'CREATE') AS creates
     FROM pg_roles r WHERE r.rolname = current_user`,
    [schema],
  )
  const { who, super: isSuper, bypass, creates } = rows[0] ?? { who: '', super: false, bypass: false, creates: false }
  const lacking = await lackingTables(client, schema, RIGHTS_OF_TENANT)
  if (lacking.length > 0)
    return [
      failure(
        'rights',
        `The role ${who} may not read and write all tables: ${lacking.join(', ')}.`,
        `Run the script that holdpoint migrate --print-role ${who} prints, as after each migration.`,
      ),
    ]
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

/** The role that is connected, and whether it may erase threads. Erasing changes entries, which serving does not need. */
export async function readEraser(client: Client, schema: string): Promise<{ who: string; mayErase: boolean }> {
  const { rows } = await client.query<{ who: string }>('SELECT current_user AS who')
  const lacking = await lackingTables(client, schema, RIGHTS_TO_ERASE)
  return { who: rows[0]?.who ?? '', mayErase: lacking.length === 0 }
}

/** Checks whether the role may erase threads, if it has to. */
export async function checkErasing(
  client: Client,
  { schema, erases }: { schema: string; erases: boolean },
): Promise<Finding[]> {
  const { who, mayErase } = await readEraser(client, schema)
  if (mayErase) return [ok('rights to erase', `The role ${who} may erase threads`)]
  if (!erases) return [ok('rights to erase', `The role ${who} may not erase threads, and retention is off`)]
  return [
    failure(
      'rights to erase',
      `Retention is on, and the role ${who} may not erase threads.`,
      `Give it the rights that holdpoint migrate --print-role ${who} --erase names, or leave retention to another process.`,
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
