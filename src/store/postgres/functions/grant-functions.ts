/**
 * The SQL functions that judge and change grants, by the rules of store/shared/grants.ts. The rows are locked in the order of their ids before they
 * are judged, since appends of other threads may spend the same grants.
 */
export function createGrantFunctions(prefix: string): string {
  return [refusedGrant(prefix), writeGrants(prefix)].join('\n')
}

/** The id of the first grant whose guard refuses. Changes see those before them. */
const refusedGrant = (prefix: string) => `
CREATE FUNCTION ${prefix}refused_grant(a_tenant text, a_no bigint, a_moment bigint, a_changes json)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  change json;
  name text;
  amount double precision;
  g ${prefix}grants%ROWTYPE;
  seen jsonb := '{}';
BEGIN
  PERFORM 1 FROM ${prefix}grants r WHERE r.tenant = a_tenant
    AND r.id IN (SELECT value->>'id' FROM json_array_elements(a_changes)) ORDER BY r.id FOR UPDATE;
  FOR change IN SELECT value FROM json_array_elements(a_changes) LOOP
    name := change->>'id';
    amount := (change->>'amount')::double precision;
    IF seen ? name THEN
      g := jsonb_populate_record(NULL::${prefix}grants, seen->name);
    ELSE
      g := NULL;
      SELECT * INTO g FROM ${prefix}grants r WHERE r.tenant = a_tenant AND r.id = name;
    END IF;
    IF change->>'op' = 'create' THEN
      IF g.id IS NOT NULL THEN
        RETURN name;
      END IF;
      g.id := name;
      g.thread := a_no;
      g.uses := (change->>'uses')::bigint;
      g.used := (change->>'used')::bigint;
      g.cap := (change->>'cap')::double precision;
      g.spent := (change->>'spent')::double precision;
      g.expires_at := coalesce(a_moment + (change->>'ttlMs')::double precision, (change->>'expiresAt')::double precision);
    ELSIF change->>'op' = 'spend' THEN
      IF g.id IS NULL OR g.revoked IS NOT NULL OR g.used >= g.uses OR g.expires_at <= a_moment
        OR (g.cap IS NOT NULL AND (amount IS NULL OR g.spent + amount > g.cap)) THEN
        RETURN name;
      END IF;
      g.used := g.used + 1;
      g.spent := CASE WHEN g.cap IS NULL THEN g.spent ELSE g.spent + amount END;
    ELSE
      IF g.id IS NULL OR g.revoked IS NOT NULL OR g.thread IS DISTINCT FROM a_no THEN
        RETURN name;
      END IF;
      g.revoked := 0;
    END IF;
    seen := seen || jsonb_build_object(name, to_jsonb(g));
  END LOOP;
  RETURN NULL;
END
$$;`

/** Applies changes that passed their guards. `a_after` is the thread's version before the append. */
const writeGrants = (prefix: string) => `
CREATE FUNCTION ${prefix}write_grants(a_tenant text, a_no bigint, a_after bigint, a_moment bigint, a_changes json)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  change json;
BEGIN
  FOR change IN SELECT value FROM json_array_elements(a_changes) LOOP
    IF change->>'op' = 'create' THEN
      INSERT INTO ${prefix}grants
        (tenant, id, thread, created, place, agent, tool, uses, used, cap, spent, expires_at, live)
        VALUES (a_tenant, change->>'id', a_no, a_after + 1 + (change->>'entry')::bigint, change->>'place',
          change->>'agent', change->>'tool', (change->>'uses')::bigint, (change->>'used')::bigint,
          (change->>'cap')::double precision, (change->>'spent')::double precision,
          coalesce(a_moment + (change->>'ttlMs')::double precision, (change->>'expiresAt')::double precision),
          CASE WHEN (change->>'used')::bigint >= (change->>'uses')::bigint THEN 0 ELSE 1 END);
    ELSIF change->>'op' = 'spend' THEN
      UPDATE ${prefix}grants g SET used = g.used + 1,
        spent = CASE WHEN g.cap IS NULL THEN g.spent ELSE g.spent + (change->>'amount')::double precision END,
        live = CASE WHEN g.used + 1 >= g.uses THEN 0 ELSE g.live END
        WHERE g.tenant = a_tenant AND g.id = change->>'id';
    ELSE
      UPDATE ${prefix}grants g SET revoked = a_after + 1 + (change->>'entry')::bigint, live = 0
        WHERE g.tenant = a_tenant AND g.id = change->>'id';
    END IF;
  END LOOP;
END
$$;`
