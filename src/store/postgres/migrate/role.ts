import { InputInvalid } from '../../../protocol/errors/errors.ts'
import { parseTenantId } from '../../../protocol/ids.ts'
import { checkSchema, prefixOf } from '../connection/place.ts'
import { MARK_TABLE, STORE_TABLE } from '../tables/schema.ts'
import { tenantPolicies } from './tenant-policies.ts'

/** Options of {@link roleScript}. */
export interface RoleOptions {
  /** The name of the role. It is created if it does not exist, without a password and without the right to log in. */
  role: string
  /** Default `holdpoint`. */
  schema?: string
  /** The only tenant whose rows the role can see and write. Default: all of them. */
  tenant?: string
  /** Whether it may erase threads, and so change entries. Not for a role of one tenant. Default `false`: only the owner of the tables can. */
  erase?: boolean
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/

/** What a role may do, by table, separated by commas. */
export type TableRights = Readonly<Record<string, string>>

/** What a role needs of each table. Nobody who runs the store can change or delete entries, unless the role may erase. */
const RIGHTS: TableRights = {
  [MARK_TABLE]: 'SELECT',
  [STORE_TABLE]: 'SELECT',
  threads: 'SELECT, INSERT, UPDATE',
  entries: 'SELECT, INSERT',
  requests: 'SELECT, INSERT, UPDATE',
  grants: 'SELECT, INSERT, UPDATE',
  snapshots: 'SELECT, INSERT, UPDATE',
  chunks: 'SELECT, INSERT, UPDATE',
  records: 'SELECT, INSERT, UPDATE, DELETE',
  outbox: 'SELECT, INSERT, DELETE',
  outbox_pruned: 'SELECT, UPDATE',
  voided: 'SELECT, INSERT, DELETE',
}

/** What erasing needs besides. */
export const RIGHTS_TO_ERASE: TableRights = {
  entries: 'UPDATE',
  requests: 'DELETE',
  grants: 'DELETE',
  snapshots: 'DELETE',
  chunks: 'DELETE',
}

/** A role of one tenant prunes nothing: no role needs less. */
export const RIGHTS_OF_TENANT: TableRights = { ...RIGHTS, outbox: 'SELECT, INSERT', outbox_pruned: 'SELECT' }

/**
 * A script for `psql` that makes a role which can run a store and nothing else. Run it as the owner of the schema, after each migration.
 *
 * P1  The role can change no table, function or entry, and has no right outside of the schema. With `erase` it can change entries and delete requests
 *     and grants: hash chains, audit keys and anchors then show what it changed beyond that.
 * P2  With `tenant`, the server shows it only rows of that tenant and refuses to write others, whatever SQL it sends: policies name the role, and
 *     depend on no setting that it could change.
 * P3  Policies cost the other roles nothing: theirs is `true`, which the planner drops. A role of one tenant reads entries without a look at their threads,
 *     but for entries that are older than the first such role.
 */
export function roleScript({ role, schema = 'holdpoint', tenant, erase = false }: RoleOptions): string {
  if (!NAME.test(role)) {
    throw new InputInvalid(`a role is named with up to 63 letters, digits and underscores, not ${JSON.stringify(role)}`)
  }
  if (erase && tenant !== undefined)
    throw new InputInvalid('a role of one tenant cannot erase: erasures and deliveries are recorded for all tenants')
  const prefix = prefixOf(checkSchema(schema))
  const usual = tenant === undefined ? RIGHTS : RIGHTS_OF_TENANT
  const rights = [usual, erase ? RIGHTS_TO_ERASE : {}]
    .flatMap((each) => Object.entries(each))
    .map(([table, allowed]) => `GRANT ${allowed} ON ${prefix}${table} TO "${role}";`)
  return `-- holdpoint: the role ${role} for the schema ${schema}${tenant === undefined ? '' : ', one tenant'}. It may be run again.
-- Then make it usable: ALTER ROLE "${role}" LOGIN PASSWORD '…'; or GRANT "${role}" TO a role that logs in.
BEGIN;
SET LOCAL lock_timeout = '5s';
DO $$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '${role}') THEN
    CREATE ROLE "${role}" NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
  END IF;
END $$;
REVOKE ALL ON ALL TABLES IN SCHEMA "${schema}" FROM "${role}";
REVOKE ALL ON SCHEMA "${schema}" FROM "${role}";
GRANT USAGE ON SCHEMA "${schema}" TO "${role}";
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA "${schema}" TO "${role}";
${rights.join('\n')}
${tenant === undefined ? '' : tenantPolicies(prefix, role, parseTenantId(tenant))}COMMIT;
`
}
