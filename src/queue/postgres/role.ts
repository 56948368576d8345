import { requireOptions } from '../../protocol/checks/known-options.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { checkSchemaName } from './schema-name.ts'

/** Options of {@link queueRoleScript}. */
export interface QueueRoleOptions {
  /** The name of a role that exists: `roleScript` of `holdpoint/postgres` makes one. */
  role: string
  /** The schema of the queue. Default `holdpoint_queue`. */
  schema?: string
}

const ROLE = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/

/**
 * A script for `psql` that lets a role ring and consume a queue which is complete. Run it as the owner of the queue's tables, after each
 * `postgresQueue(…).prepare()` of a new version.
 *
 * The tables of graphile-worker have row-level security and no policy: without one the role would see no job.
 */
export function queueRoleScript(options: QueueRoleOptions): string {
  requireOptions('queueRoleScript()', options, ['role', 'schema'])
  const { role, schema = 'holdpoint_queue' } = options
  if (!ROLE.test(role)) {
    throw new InputInvalid(`a role is named with up to 63 letters, digits and underscores, not ${JSON.stringify(role)}`)
  }
  checkSchemaName(schema)
  return `-- holdpoint: the role ${role} for the queue in the schema ${schema}. It may be run again.
BEGIN;
SET LOCAL lock_timeout = '5s';
REVOKE ALL ON ALL TABLES IN SCHEMA "${schema}" FROM "${role}";
REVOKE ALL ON SCHEMA "${schema}" FROM "${role}";
GRANT USAGE ON SCHEMA "${schema}" TO "${role}";
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "${schema}" TO "${role}";
REVOKE INSERT, UPDATE, DELETE ON "${schema}".migrations FROM "${role}";
GRANT USAGE ON ALL SEQUENCES IN SCHEMA "${schema}" TO "${role}";
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA "${schema}" TO "${role}";
DO $$ DECLARE
  t regclass;
BEGIN
  FOR t IN SELECT oid FROM pg_class WHERE relnamespace = '"${schema}"'::regnamespace AND relrowsecurity LOOP
    EXECUTE format('DROP POLICY IF EXISTS %I ON %s', '${role}', t);
    EXECUTE format('CREATE POLICY %I ON %s TO %I USING (true) WITH CHECK (true)', '${role}', t, '${role}');
  END LOOP;
END $$;
COMMIT;
`
}
