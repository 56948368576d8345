import { APPEND_PARAMETERS } from './append-parameters.ts'

/**
 * The SQL functions that make appends of different threads with one transaction. Each has a row of the result, in order.
 *
 * B1  What an append finds and writes does not depend on its neighbours. A refused one leaves theirs as they are.
 * B2  It never waits for the lock of a thread: an append whose thread is locked has `NULL`, and nothing of it is stored. One that is sent alone waits.
 * B3  An error is everybody's: nothing of the batch is stored.
 */
export function createBatchFunctions(prefix: string): string {
  return [appendAll(prefix), appendEach(prefix)].join('\n')
}

/**
 * Takes what `toMember` makes. `a_data` has what is long, in one piece and unquoted: the server looks at each character of JSON, several times.
 * `a_waits`: whether an append waits for its thread.
 */
const appendAll = (prefix: string) => `
CREATE FUNCTION ${prefix}append_all(a_batch json, a_data bytea, a_patience integer, a_waits boolean)
RETURNS SETOF json LANGUAGE plpgsql AS $$
DECLARE
  m record;
  patience integer := CASE WHEN a_waits THEN a_patience END;
  pos integer := 1;
  id bytea;
  salts bytea;
  hashes bytea;
  bodies text[];
  snapshot text;
  chunks text[];
  piece text;
BEGIN
  IF NOT a_waits THEN
    PERFORM ${prefix}durable(a_patience);
  END IF;
  FOR m IN SELECT * FROM json_to_recordset(a_batch) AS r(tenant text, thread text, name text, "time" bigint, fixed boolean,
      version double precision, head text, op text, holder text, token double precision, over text, ttl double precision, "drop" boolean,
      keyed boolean, count integer, sizes integer[], requests json, grants json, records json, wake json, erase json, snapshot json) LOOP
    id := substr(a_data, pos, 16);
    salts := substr(a_data, pos + 16, 16 * m.count);
    hashes := substr(a_data, pos + 16 + 16 * m.count, 32 * m.count);
    pos := pos + 16 + 48 * m.count;
    bodies := '{}';
    snapshot := NULL;
    chunks := NULL;
    FOR i IN 1..cardinality(m.sizes) LOOP
      piece := convert_from(substr(a_data, pos, m.sizes[i]), 'UTF8');
      pos := pos + m.sizes[i];
      IF i <= m.count THEN
        bodies[i] := piece;
      ELSIF i = m.count + 1 THEN
        snapshot := piece;
      ELSE
        chunks[i - m.count - 1] := piece;
      END IF;
    END LOOP;
    RETURN NEXT ${prefix}append(m.tenant, m.thread, m.name, id, m."time", m.fixed, m.version, m.head, m.op, m.holder, m.token, m.over,
      m.ttl, m."drop", bodies, salts, hashes, m.requests, m.grants, m.keyed, patience, m.records, m.wake, m.erase, m.snapshot,
      snapshot, chunks);
  END LOOP;
END
$$;`

/** For builds of versions 5 to 10, which quote everything. */
function appendEach(prefix: string): string {
  const parameters = APPEND_PARAMETERS.slice(0, APPEND_PARAMETERS.findIndex(({ name }) => name === 'a_snapshot') + 1)
  const columns = parameters.map(({ name, type }) => `${name} ${type === 'json' ? 'text' : type}`).join(', ')
  const values = parameters.map(({ name, type }) => `m.${name}${type === 'json' ? '::json' : ''}`).join(', ')
  return `
CREATE FUNCTION ${prefix}append_each(a_batch json, a_patience integer) RETURNS SETOF json LANGUAGE plpgsql AS $$
DECLARE
  m record;
BEGIN
  PERFORM ${prefix}durable(a_patience);
  FOR m IN SELECT * FROM json_to_recordset(a_batch) AS r(${columns}) LOOP
    RETURN NEXT ${prefix}append(${values});
  END LOOP;
END
$$;`
}
