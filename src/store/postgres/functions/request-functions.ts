/** The SQL functions that judge and change requests, by the rules of store/shared/guards.ts. */
export function createRequestFunctions(prefix: string): string {
  return [refusedRequest(prefix), writeRequests(prefix)].join('\n')
}

/**
 * The id of the first request whose guard refuses. Changes see those before them. The lock of the thread's row protects its own requests; an
 * assignment or a comment may be of another thread's request, whose row is locked first.
 */
const refusedRequest = (prefix: string) => `
CREATE FUNCTION ${prefix}refused_request(a_tenant text, a_no bigint, a_moment bigint, a_changes json)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  change json;
  request text;
  op text;
  standing jsonb;
  seen jsonb := '{}';
BEGIN
  FOR change IN SELECT value FROM json_array_elements(a_changes) LOOP
    request := change->>'id';
    op := change->>'op';
    IF op IN ('assign', 'comment') THEN
      PERFORM 1 FROM ${prefix}requests r WHERE r.tenant = a_tenant AND r.id = request FOR UPDATE;
    END IF;
    IF seen ? request THEN
      standing := seen->request;
    ELSE
      standing := NULL;
      SELECT jsonb_build_object('version', r.version, 'here', r.thread = a_no, 'open', r.status = 'open', 'to', r.assigned_to,
        'until', r.assigned_until) INTO standing FROM ${prefix}requests r WHERE r.tenant = a_tenant AND r.id = request;
    END IF;
    IF op = 'open' THEN
      IF standing IS NOT NULL THEN
        RETURN request;
      END IF;
      standing := '{"version": 1, "here": true, "open": true, "to": null, "until": null}';
    ELSIF standing IS NULL THEN
      RETURN request;
    ELSIF op = 'change' THEN
      IF NOT coalesce((standing->>'here')::boolean, false)
        OR (standing->>'version')::double precision IS DISTINCT FROM (change->>'from')::double precision
        OR a_moment >= (change->>'before')::double precision THEN
        RETURN request;
      END IF;
      standing := standing || jsonb_build_object('version', (standing->>'version')::bigint + 1, 'open', change->>'status' = 'open');
    ELSIF op = 'assign' THEN
      IF NOT (standing->>'open')::boolean OR ((change->>'claim')::boolean AND standing->>'to' <> change->>'assignee'
        AND coalesce((standing->>'until')::double precision > a_moment, true)) THEN
        RETURN request;
      END IF;
      standing := standing || jsonb_build_object('to', change->>'assignee', 'until', a_moment + (change->>'ttlMs')::double precision);
    END IF;
    seen := seen || jsonb_build_object(request, standing);
  END LOOP;
  RETURN NULL;
END
$$;`

/** Applies changes that passed their guards. `a_after` is the thread's version before the append. */
const writeRequests = (prefix: string) => `
CREATE FUNCTION ${prefix}write_requests(a_tenant text, a_no bigint, a_after bigint, a_moment bigint, a_changes json)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  change json;
BEGIN
  FOR change IN SELECT value FROM json_array_elements(a_changes) LOOP
    IF change->>'op' = 'open' THEN
      INSERT INTO ${prefix}requests
        (tenant, id, thread, opened, version, status, kind, question_id, agent, tool, assignee, expires_at, readers, risk, text,
          lists, changed_at)
        VALUES (a_tenant, change->>'id', a_no, a_after + 1 + (change->>'entry')::bigint, 1, 'open', change->>'kind',
          change->>'questionId', change->>'agent', change->>'tool', change->>'assignee',
          (change->>'expiresAt')::double precision, change->>'readers', change->>'risk', change->>'text', change->>'lists',
          a_moment);
    ELSIF change->>'op' = 'change' THEN
      UPDATE ${prefix}requests r SET status = change->>'status', version = (change->>'from')::bigint + 1,
        changed = a_after + 1 + (change->>'entry')::bigint, changed_at = a_moment,
        expires_at = CASE WHEN (change->>'dropDeadline')::boolean THEN NULL ELSE r.expires_at END
        WHERE r.tenant = a_tenant AND r.id = change->>'id';
    ELSIF change->>'op' = 'assign' THEN
      UPDATE ${prefix}requests r SET assigned_to = change->>'assignee', noted_at = a_moment,
        assigned_until = CASE WHEN change->>'assignee' IS NOT NULL THEN a_moment + (change->>'ttlMs')::double precision END
        WHERE r.tenant = a_tenant AND r.id = change->>'id';
    ELSE
      UPDATE ${prefix}requests r SET comments = r.comments + 1, noted_at = a_moment
        WHERE r.tenant = a_tenant AND r.id = change->>'id';
    END IF;
  END LOOP;
END
$$;`
