/**
 * The SQL function that writes the snapshot of a thread at a version and head, with its chunks. The caller signs it, as the thread. Builds before version
 * 11 send body and chunks in the same JSON as the rest.
 */
export function createSnapshotFunction(prefix: string): string {
  return `
CREATE FUNCTION ${prefix}write_snapshot(a_no bigint, a_version bigint, a_head bytea, a_snapshot json, a_state text, a_chunks text[])
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  kept record;
BEGIN
  SELECT r.fold, coalesce(a_state, r.body) AS body, r.first,
      CASE WHEN a_chunks IS NULL AND r.chunks IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(r.chunks)) ELSE a_chunks END AS chunks
    INTO kept FROM json_to_record(a_snapshot) AS r(fold bigint, body text, first bigint, chunks json);
  INSERT INTO ${prefix}snapshots AS s (thread, fold, version, hash, body) VALUES (a_no, kept.fold, a_version, a_head, kept.body)
    ON CONFLICT (thread, fold) DO UPDATE SET version = excluded.version, hash = excluded.hash, body = excluded.body, mac_key = NULL, mac = NULL;
  -- Builds before version 10 send none, and their role may have no right to the table yet.
  IF kept.chunks IS NOT NULL THEN
    INSERT INTO ${prefix}chunks AS c (thread, fold, number, body)
      SELECT a_no, kept.fold, kept.first - 1 + e.n, e.body FROM unnest(kept.chunks) WITH ORDINALITY AS e(body, n)
      ON CONFLICT (thread, fold, number) DO UPDATE SET body = excluded.body;
  END IF;
END
$$;`
}
