import { drivingChanges } from '../../ports/outbox.ts'

/** The name of the trigger on the outbox of a store. */
export const TRIGGER = 'holdpoint_ring'

/** The schema of the queue that a trigger with this comment rings. */
export function queueOfMark(mark: string): string {
  return mark.split(' ', 1)[0]!
}

/** What a trigger of this version for this queue has as its comment. */
export function triggerMark(schema: string, version: number): string {
  return `${schema} ${version}`
}

/**
 * Rings the queue in the transaction that writes a row of the outbox which gives a driver something to do: whoever decides needs no queue. It rings
 * at the time of the thread's wake mark, so an undo window is waited for. Jobs have no key: nothing waits for a lock, and a second ring does no harm.
 * A ring that fails is a warning in the server's log, never a decision that fails: the wake mark remembers the thread.
 *
 * `holdpoint_encode` is `encodeURIComponent`, and the route is that of `routeOf`.
 */
export function createTrigger(place: { schema: string; storeSchema: string }, version: number): string {
  const { schema, storeSchema } = place
  return `
CREATE OR REPLACE FUNCTION "${schema}".holdpoint_encode(a_text text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT coalesce(string_agg(CASE WHEN chr(b) ~ '[A-Za-z0-9._!~*''()-]' AND b < 128 THEN chr(b) ELSE '%' || upper(lpad(to_hex(b), 2, '0')) END, '' ORDER BY i), '')
  FROM (SELECT i, get_byte(convert_to(a_text, 'UTF8'), i) AS b FROM generate_series(0, octet_length(convert_to(a_text, 'UTF8')) - 1) i) bytes
$$;
CREATE OR REPLACE FUNCTION "${schema}".holdpoint_tell_queue() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
  t record;
  route text;
BEGIN
  SELECT id, wake_at, run_agent, run_version INTO t FROM "${storeSchema}".threads WHERE no = NEW.thread;
  IF t.wake_at IS NULL OR t.run_agent IS NULL THEN
    RETURN NULL;
  END IF;
  route := "${schema}".holdpoint_encode(t.run_agent) || coalesce('@' || "${schema}".holdpoint_encode(t.run_version), '');
  PERFORM "${schema}".add_job(
    translate(rtrim(encode(sha256(convert_to(route, 'UTF8')), 'base64'), '='), '+/', '-_'),
    json_build_object('tenantId', NEW.tenant, 'threadId', t.id, 'route', route),
    run_at => CASE WHEN t.wake_at > NEW.at THEN now() + (t.wake_at - NEW.at) * interval '1 millisecond' END,
    max_attempts => 32767);
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  RAISE WARNING 'holdpoint: the queue in schema ${schema} was not rung: %', SQLERRM;
  RETURN NULL;
END
$$;
DROP TRIGGER IF EXISTS ${TRIGGER} ON "${storeSchema}".outbox;
CREATE TRIGGER ${TRIGGER} AFTER INSERT ON "${storeSchema}".outbox FOR EACH ROW
  WHEN ((NEW.subject = 'request' AND NEW.what IN (${drivingChanges.map((what) => `'${what}'`).join(', ')})) OR (NEW.subject = 'thread' AND NEW.what = 'ready'))
  EXECUTE FUNCTION "${schema}".holdpoint_tell_queue();
COMMENT ON TRIGGER ${TRIGGER} ON "${storeSchema}".outbox IS '${triggerMark(schema, version)}';`
}
