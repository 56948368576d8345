/** The SQL functions that judge and change requests, by the rules of store/shared/guards.ts. */
export function createRequestFunctions(prefix: string): string {
  return [refusedRequest(prefix), writeRequests(prefix)].join('\n')
}

/** The changes of `a_changes` as rows: parsed once, since each look into JSON parses all of it. */
const CHANGES = `json_to_recordset(a_changes) AS r(op text, id text, entry bigint, "from" double precision, "before" double precision, status text,
    "dropDeadline" boolean, claim boolean, assignee text, "ttlMs" double precision, kind text, "questionId" text, agent text, tool text,
    "expiresAt" double precision, readers text, risk text, text text, lists text)`

/**
 * The id of the first request whose guard refuses. Changes see those before them. The lock of the thread's row protects its own requests; an
 * assignment or a comment may be of another thread's request, whose row is locked first.
 */
const refusedRequest = (prefix: string) => `
CREATE FUNCTION ${prefix}refused_request(a_tenant text, a_no bigint, a_moment bigint, a_changes json)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  change record;
  standing jsonb;
  seen jsonb := '{}';
BEGIN
  FOR change IN SELECT * FROM ${CHANGES} LOOP
    IF change.op IN ('assign', 'comment') THEN
      PERFORM 1 FROM ${prefix}requests r WHERE r.tenant = a_tenant AND r.id = change.id FOR UPDATE;
    END IF;
    IF seen ? change.id THEN
      standing := seen->change.id;
    ELSE
      standing := NULL;
      SELECT jsonb_build_object('version', r.version, 'here', r.thread = a_no, 'open', r.status = 'open', 'to', r.assigned_to,
        'until', r.assigned_until) INTO standing FROM ${prefix}requests r WHERE r.tenant = a_tenant AND r.id = change.id;
    END IF;
    IF change.op = 'open' THEN
      IF standing IS NOT NULL THEN
        RETURN change.id;
      END IF;
      standing := '{"version": 1, "here": true, "open": true, "to": null, "until": null}';
    ELSIF standing IS NULL THEN
      RETURN change.id;
    ELSIF change.op = 'change' THEN
      IF NOT coalesce((standing->>'here')::boolean, false) OR (standing->>'version')::double precision IS DISTINCT FROM change."from"
        OR a_moment >= change."before" THEN
        RETURN change.id;
      END IF;
      standing := standing || jsonb_build_object('version', (standing->>'version')::bigint + 1, 'open', change.status = 'open');
    ELSIF change.op = 'assign' THEN
      IF NOT (standing->>'open')::boolean OR (change.claim AND standing->>'to' <> change.assignee
        AND coalesce((standing->>'until')::double precision > a_moment, true)) THEN
        RETURN change.id;
      END IF;
      standing := standing || jsonb_build_object('to', change.assignee, 'until', a_moment + change."ttlMs");
    END IF;
    seen := seen || jsonb_build_object(change.id, standing);
  END LOOP;
  RETURN NULL;
END
$$;`

/** Applies changes that passed their guards. `a_after` is the thread's version before the append. */
const writeRequests = (prefix: string) => `
CREATE FUNCTION ${prefix}write_requests(a_tenant text, a_no bigint, a_after bigint, a_moment bigint, a_changes json)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  change record;
BEGIN
  FOR change IN SELECT * FROM ${CHANGES} LOOP
    IF change.op = 'open' THEN
      INSERT INTO ${prefix}requests
        (tenant, id, thread, opened, version, status, kind, question_id, agent, tool, assignee, expires_at, readers, risk, text,
          lists, changed_at)
        VALUES (a_tenant, change.id, a_no, a_after + 1 + change.entry, 1, 'open', change.kind, change."questionId", change.agent,
          change.tool, change.assignee, change."expiresAt", change.readers, change.risk, change.text, change.lists, a_moment);
    ELSIF change.op = 'change' THEN
      UPDATE ${prefix}requests r SET status = change.status, version = change."from"::bigint + 1,
        changed = a_after + 1 + change.entry, changed_at = a_moment,
        expires_at = CASE WHEN change."dropDeadline" THEN NULL ELSE r.expires_at END
        WHERE r.tenant = a_tenant AND r.id = change.id;
    ELSIF change.op = 'assign' THEN
      UPDATE ${prefix}requests r SET assigned_to = change.assignee, noted_at = a_moment,
        assigned_until = CASE WHEN change.assignee IS NOT NULL THEN a_moment + change."ttlMs" END
        WHERE r.tenant = a_tenant AND r.id = change.id;
    ELSE
      UPDATE ${prefix}requests r SET comments = r.comments + 1, noted_at = a_moment
        WHERE r.tenant = a_tenant AND r.id = change.id;
    END IF;
  END LOOP;
END
$$;`
