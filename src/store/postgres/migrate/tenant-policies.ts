/**
 * The part of a role's script that binds it to one tenant. One policy lets everybody in, as before; a second one narrows it for this role.
 *
 * An entry belongs to the tenant of its thread. A policy that looks the thread up does so for every row, which makes the load of a long thread several
 * times as slow. So entries get a column with their tenant, which a trigger fills in. It is there only in stores that have such a role: the others
 * would write it for nothing. Entries without it, which are older than the column, are looked up.
 */
export function tenantPolicies(prefix: string, role: string, tenant: string): string {
  const own = `tenant = '${tenant.replaceAll("'", "''")}'`
  const ofThread = `(SELECT t.${own} FROM ${prefix}threads t WHERE t.no = thread)`
  const same = (condition: string) => `USING (${condition}) WITH CHECK (${condition})`
  const tables = ['threads', 'requests', 'grants', 'records', 'outbox']
  const policies = [
    ...tables.map((table) => policy(prefix, { table, role, rest: same(own) })),
    policy(prefix, {
      table: 'entries',
      role,
      // What is written is looked up in any case: the column alone would prove nothing.
      rest: `USING (CASE WHEN tenant IS NULL THEN ${ofThread} ELSE ${own} END) WITH CHECK (${ofThread} AND (tenant IS NULL OR ${own}))`,
    }),
    policy(prefix, { table: 'snapshots', role, rest: same(ofThread) }),
    policy(prefix, { table: 'chunks', role, rest: same(ofThread) }),
    policy(prefix, { table: 'voided', role, rest: `USING (at < now() - interval '1 day')`, what: 'FOR DELETE ' }),
  ]
  return `${tenantOfEntries(prefix)}\n${policies.join('\n')}\n`
}

/** Replaces whatever tenant a writer gives. Whoever may not see the thread finds none, and is refused by the policy. */
function tenantOfEntries(prefix: string): string {
  return `ALTER TABLE ${prefix}entries ADD COLUMN IF NOT EXISTS tenant text COLLATE "C";
CREATE OR REPLACE FUNCTION ${prefix}tenant_of_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.tenant := (SELECT t.tenant FROM ${prefix}threads t WHERE t.no = NEW.thread);
  RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER tenant_of_entry BEFORE INSERT OR UPDATE OF thread, tenant ON ${prefix}entries
  FOR EACH ROW EXECUTE FUNCTION ${prefix}tenant_of_entry();`
}

function policy(
  prefix: string,
  { table, role, rest, what = '' }: { table: string; role: string; rest: string; what?: string },
): string {
  const on = `ON ${prefix}${table}`
  return `DROP POLICY IF EXISTS holdpoint_all ${on};
CREATE POLICY holdpoint_all ${on} USING (true) WITH CHECK (true);
DROP POLICY IF EXISTS "${role}" ${on};
CREATE POLICY "${role}" ${on} AS RESTRICTIVE ${what}TO "${role}" ${rest};
ALTER TABLE ${prefix}${table} ENABLE ROW LEVEL SECURITY;`
}
