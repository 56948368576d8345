/**
 * The SQL functions that judge and change records, by the rules of store/shared/records.ts. Writers of a record wait for each other at an advisory
 * lock, also if the record does not exist yet. Locks are taken in one order.
 */
export function createRecordFunctions(prefix: string): string {
  return [refusedRecord(prefix), applyRecords(prefix), writeRecords(prefix)].join('\n')
}

/** The id of the first record whose guard refuses. Changes see those before them. */
const refusedRecord = (prefix: string) => `
CREATE FUNCTION ${prefix}refused_record(a_tenant text, a_moment bigint, a_changes json)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  change json;
  name text;
  standing bigint;
  seen jsonb := '{}';
BEGIN
  PERFORM pg_advisory_xact_lock(k.key) FROM (
    SELECT DISTINCT hashtextextended(json_build_array('${prefix.slice(1, -2)}', a_tenant, value->>'kind', value->>'id')::text, 1) AS key
    FROM json_array_elements(a_changes) ORDER BY key) k;
  FOR change IN SELECT value FROM json_array_elements(a_changes) LOOP
    name := json_build_array(change->>'kind', change->>'id')::text;
    IF seen ? name THEN
      standing := (seen->>name)::bigint;
    ELSE
      standing := NULL;
      SELECT r.version INTO standing FROM ${prefix}records r WHERE r.tenant = a_tenant AND r.kind = change->>'kind' AND r.id = change->>'id'
        AND (r.expires_at IS NULL OR r.expires_at > a_moment);
      standing := coalesce(standing, 0);
    END IF;
    IF standing <> (change->>'expect')::bigint THEN
      RETURN change->>'id';
    END IF;
    seen := seen || jsonb_build_object(name, CASE WHEN change->>'op' = 'put' THEN standing + 1 ELSE 0 END);
  END LOOP;
  RETURN NULL;
END
$$;`

/** Applies changes that passed their guards. `a_id` names this write: one that was sent twice is found by it. */
const applyRecords = (prefix: string) => `
CREATE FUNCTION ${prefix}apply_records(a_tenant text, a_id bytea, a_moment bigint, a_changes json)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  change json;
BEGIN
  FOR change IN SELECT value FROM json_array_elements(a_changes) LOOP
    IF change->>'op' = 'put' THEN
      INSERT INTO ${prefix}records AS r (tenant, kind, id, version, at, expires_at, value, written)
        VALUES (a_tenant, change->>'kind', change->>'id', 1, a_moment, a_moment + (change->>'ttlMs')::bigint, change->>'value', a_id)
        ON CONFLICT (tenant, kind, id) DO UPDATE SET at = excluded.at, expires_at = excluded.expires_at, value = excluded.value,
          written = excluded.written, version = CASE WHEN r.expires_at <= a_moment THEN 1 ELSE r.version + 1 END;
    ELSE
      DELETE FROM ${prefix}records r WHERE r.tenant = a_tenant AND r.kind = change->>'kind' AND r.id = change->>'id';
    END IF;
  END LOOP;
END
$$;`

/** Changes records alone. If it was done before, nothing is changed again. */
const writeRecords = (prefix: string) => `
CREATE FUNCTION ${prefix}write_records(a_tenant text, a_id bytea, a_time bigint, a_fixed boolean, a_changes json, a_patience integer)
RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  moment bigint;
  refused text;
  done bigint;
BEGIN
  PERFORM ${prefix}durable(a_patience);
  moment := ${prefix}clock_ms(a_time, a_fixed);
  refused := ${prefix}refused_record(a_tenant, moment, a_changes);
  SELECT r.at INTO done FROM json_array_elements(a_changes) c JOIN ${prefix}records r
    ON r.tenant = a_tenant AND r.kind = c.value->>'kind' AND r.id = c.value->>'id' WHERE r.written = a_id LIMIT 1;
  IF done IS NOT NULL THEN
    RETURN json_build_object('ok', true, 'at', done);
  END IF;
  IF refused IS NOT NULL THEN
    RETURN json_build_object('ok', false, 'now', moment, 'conflict', json_build_object('kind', 'record', 'id', refused));
  END IF;
  PERFORM ${prefix}apply_records(a_tenant, a_id, moment, a_changes);
  RETURN json_build_object('ok', true, 'at', moment);
END
$$;`
