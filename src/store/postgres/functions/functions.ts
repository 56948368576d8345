import { MAX_LEASE_MS } from '../../shared/lease.ts'
import { declaredParameters } from './append-parameters.ts'
import { createBatchFunctions } from './batch-functions.ts'
import { createClockFunctions, steadyTime } from './clock-functions.ts'
import { createGrantFunctions } from './grant-functions.ts'
import { createLeaseFunctions } from './lease-functions.ts'
import { createRecordFunctions } from './record-functions.ts'
import { createRequestFunctions } from './request-functions.ts'
import { createSnapshotFunction } from './snapshot-function.ts'

/**
 * Kept whole: the SQL of one transaction, in the order in which it runs.
 *
 * The functions that write, in the database itself: an append is one round trip and one transaction, and the time is the database's.
 *
 * F1  Guards are judged as store/shared/guards.ts says, in the same order, under the lock of the thread's row. A test makes the same
 *     appends to both and compares.
 * F2  The time is taken under that lock.
 * F3  An append whose id was declared void is never stored, however late it arrives. See `settle`.
 * F4  Names are given in full: nothing depends on a search path.
 * F5  What they write is durable when the transaction is, whatever the server, the database or the user is set to (`durable`).
 * F6  Nobody without the key can append to a signed thread. The key never reaches the database: with one, the caller signs within the
 *     transaction, before it commits.
 * F7  Earlier builds call `append` themselves, without the last parameters: before version 4 the last six, before version 6 five, before version 8 four,
 *     before version 9 three, before version 11 two. In a batch `a_patience` is `NULL`: its caller called `durable`, and if the thread is locked, the
 *     result is `NULL` and nothing is stored.
 * F8  Nothing is appended to an erased thread, whichever build calls.
 */
export function createFunctions(prefix: string): string {
  return [
    durable(prefix),
    createClockFunctions(prefix),
    createLeaseFunctions(prefix),
    createRequestFunctions(prefix),
    createRecordFunctions(prefix),
    createGrantFunctions(prefix),
    createSnapshotFunction(prefix),
    append(prefix),
    createBatchFunctions(prefix),
    settle(prefix),
  ].join('\n')
}

/** Drops those of an earlier version: a function whose parameters changed would stay beside the new one. */
export function dropFunctions(prefix: string): string {
  const names = [
    'durable clock_ms steady_ms live_lease refused_request write_requests refused_grant write_grants refused_record apply_records',
    'write_records write_snapshot append append_all append_each settle renew',
  ].flatMap((line) => line.split(' '))
  const schema = prefix.replaceAll('"', '').slice(0, -1)
  return `DO $$ DECLARE f regprocedure; BEGIN
  FOR f IN SELECT p.oid::regprocedure FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = '${schema}' AND p.proname IN (${names.map((name) => `'${name}'`).join(', ')})
  LOOP EXECUTE 'DROP FUNCTION ' || f; END LOOP;
END $$;`
}

/**
 * Called by every function whose writes must be durable. For this transaction only, which is why it works behind a proxy that hands connections
 * on. Waiting for a lock times out, and an abandoned connection does not keep its locks.
 */
const durable = (prefix: string) => `
CREATE FUNCTION ${prefix}durable(a_patience integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  patience text := a_patience;
BEGIN
  IF current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  RETURN set_config('lock_timeout', patience, true) || set_config('idle_in_transaction_session_timeout', patience, true);
END
$$;`

const append = (prefix: string) => `
CREATE FUNCTION ${prefix}append(
  ${declaredParameters()}
) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  t ${prefix}threads%ROWTYPE;
  known boolean;
  live boolean;
  refused boolean;
  moment bigint;
  request text;
  link bytea;
  links bytea[];
  count integer := cardinality(a_bodies);
  before json;
BEGIN
  IF a_patience IS NOT NULL THEN
    request := ${prefix}durable(a_patience);
  END IF;
  LOOP
    IF a_patience IS NOT NULL THEN
      SELECT * INTO t FROM ${prefix}threads h WHERE h.tenant = a_tenant AND h.id = a_thread FOR UPDATE;
    ELSE
      SELECT * INTO t FROM ${prefix}threads h WHERE h.tenant = a_tenant AND h.id = a_thread FOR UPDATE SKIP LOCKED;
    END IF;
    known := FOUND;
    IF NOT known THEN
      -- In a batch it may be locked: then it is sent again alone.
      IF a_patience IS NULL AND EXISTS (SELECT 1 FROM ${prefix}threads h WHERE h.tenant = a_tenant AND h.id = a_thread) THEN
        RETURN NULL;
      END IF;
      t.version := 0;
      t.head := decode(repeat('00', 32), 'hex');
      t.lease_token := 0;
      t.lease_until := 0;
      t.wake_tries := 0;
    END IF;
    -- Its head can be signed again, by an append of nothing.
    IF t.erased_at IS NOT NULL AND (count > 0 OR a_op IS NOT NULL OR a_wake IS NOT NULL OR NOT a_keyed) THEN
      RAISE EXCEPTION 'thread % was erased', a_thread USING ERRCODE = 'HP003';
    END IF;
    IF t.mac_key IS NOT NULL AND NOT a_keyed THEN
      RAISE EXCEPTION '%', t.mac_key USING ERRCODE = 'HP002';
    END IF;
    moment := ${prefix}clock_ms(a_time, a_fixed);
    moment := ${steadyTime('moment', 't.at')};

    live := t.lease_holder IS NOT NULL AND t.lease_until > moment;
    refused := CASE a_op
      WHEN 'take' THEN live AND t.lease_until - moment <= ${MAX_LEASE_MS}
        AND (t.lease_token, t.lease_holder) IS DISTINCT FROM (a_token, a_over)
      WHEN 'hold' THEN NOT live OR (t.lease_token, t.lease_holder) IS DISTINCT FROM (a_token, a_holder)
      ELSE false END;
    IF refused THEN
      RETURN json_build_object('ok', false, 'now', moment, 'conflict', json_build_object(
        'kind', 'lease', 'lease', ${prefix}live_lease(t.lease_holder, t.lease_token, t.lease_until, moment)));
    END IF;
    IF a_version <> t.version OR a_head <> encode(t.head, 'hex') THEN
      RETURN json_build_object('ok', false, 'now', moment, 'conflict', json_build_object(
        'kind', 'version', 'version', t.version));
    END IF;
    IF moment < (a_wake->>'notBefore')::bigint THEN
      RETURN json_build_object('ok', false, 'now', moment, 'conflict', json_build_object(
        'kind', 'time', 'at', a_wake->'notBefore'));
    END IF;
    IF a_requests IS NOT NULL THEN
      request := ${prefix}refused_request(a_tenant, t.no, moment, a_requests);
      IF request IS NOT NULL THEN
        -- The request may be of this very thread, if somebody created it meanwhile: then judge again.
        CONTINUE WHEN NOT known AND EXISTS (
          SELECT 1 FROM ${prefix}threads h WHERE h.tenant = a_tenant AND h.id = a_thread);
        RETURN json_build_object('ok', false, 'now', moment, 'conflict', json_build_object(
          'kind', 'request', 'id', request));
      END IF;
    END IF;
    IF a_grants IS NOT NULL THEN
      request := ${prefix}refused_grant(a_tenant, t.no, moment, a_grants);
      IF request IS NOT NULL THEN
        CONTINUE WHEN NOT known AND EXISTS (
          SELECT 1 FROM ${prefix}threads h WHERE h.tenant = a_tenant AND h.id = a_thread);
        RETURN json_build_object('ok', false, 'now', moment, 'conflict', json_build_object(
          'kind', 'grant', 'id', request));
      END IF;
    END IF;
    IF a_records IS NOT NULL THEN
      request := ${prefix}refused_record(a_tenant, moment, a_records);
      IF request IS NOT NULL THEN
        RETURN json_build_object('ok', false, 'now', moment, 'conflict', json_build_object(
          'kind', 'record', 'id', request));
      END IF;
    END IF;

    IF a_op = 'take' THEN
      t.lease_token := t.lease_token + 1;
      t.lease_holder := a_holder;
      t.lease_until := moment + a_ttl;
      t.lease_append := a_id;
    ELSIF a_op = 'hold' THEN
      t.lease_until := least(t.lease_until, moment + ${MAX_LEASE_MS});
    END IF;
    IF a_drop AND (a_op <> 'drop' OR (t.lease_token = a_token AND t.lease_holder = a_holder)) THEN
      t.lease_holder := NULL;
      t.lease_until := 0;
      t.lease_append := a_id;
    END IF;
    IF a_wake IS NOT NULL THEN
      IF a_wake->>'op' = 'by' THEN
        t.wake_at := least(t.wake_at, moment + (a_wake->>'inMs')::bigint);
      ELSIF a_wake->>'op' = 'set' THEN
        t.wake_at := (a_wake->>'at')::bigint;
        t.wake_tries := coalesce((a_wake->>'tries')::bigint, 0);
      END IF;
      IF a_wake->>'agent' IS NOT NULL THEN
        t.run_agent := a_wake->>'agent';
        t.run_version := a_wake->>'version';
      END IF;
    END IF;
    IF a_keyed THEN
      before := json_build_object('version', t.version, 'head', encode(t.head, 'hex'), 'mac_key', t.mac_key, 'mac', encode(t.mac, 'hex'));
    END IF;
    link := t.head;
    FOR i IN 1..count LOOP
      link := sha256(convert_to(a_name || ',' || (t.version + i) || ',' || moment || ']', 'UTF8')
        || link || substr(a_hashes, 32 * i - 31, 32));
      links[i] := link;
    END LOOP;

    IF known THEN
      UPDATE ${prefix}threads h SET rev = h.rev + 1, version = t.version + count, at = moment, head = link,
        lease_token = t.lease_token, lease_holder = t.lease_holder, lease_until = t.lease_until, lease_append = t.lease_append,
        wake_at = t.wake_at, wake_tries = t.wake_tries, run_agent = t.run_agent, run_version = t.run_version
        WHERE h.no = t.no;
      EXIT;
    END IF;
    INSERT INTO ${prefix}threads (tenant, id, rev, version, at, head, lease_token, lease_holder, lease_until, lease_append,
        wake_at, wake_tries, run_agent, run_version)
      VALUES (a_tenant, a_thread, 1, count, moment, link, t.lease_token, t.lease_holder, t.lease_until, t.lease_append,
        t.wake_at, t.wake_tries, t.run_agent, t.run_version)
      ON CONFLICT (tenant, id) DO NOTHING RETURNING no INTO t.no;
    -- If somebody else created it first, judge by theirs.
    EXIT WHEN FOUND;
    t := NULL;
    links := NULL;
  END LOOP;

  IF EXISTS (SELECT 1 FROM ${prefix}voided v WHERE v.id = a_id) THEN
    RAISE EXCEPTION 'this append was declared void' USING ERRCODE = 'HP001';
  END IF;
  IF count > 0 THEN
    INSERT INTO ${prefix}entries (thread, seq, at, body, salt, hash)
      SELECT t.no, t.version + e.n, moment, e.body, substr(a_salts, 16 * e.n::integer - 15, 16), e.hash
      FROM unnest(a_bodies, links) WITH ORDINALITY AS e(body, hash, n);
  END IF;
  IF a_erase IS NOT NULL THEN
    UPDATE ${prefix}entries e SET body = a_erase->>'body', salt = decode(a_erase->>'salt', 'hex')
      WHERE e.thread = t.no AND e.seq <= t.version;
    DELETE FROM ${prefix}requests r WHERE r.thread = t.no;
    DELETE FROM ${prefix}grants g WHERE g.thread = t.no;
    DELETE FROM ${prefix}snapshots s WHERE s.thread = t.no;
    DELETE FROM ${prefix}chunks c WHERE c.thread = t.no;
    UPDATE ${prefix}threads h SET erased_at = moment WHERE h.no = t.no;
    INSERT INTO ${prefix}outbox (tenant, thread, subject, id, what, version, at)
      VALUES (a_tenant, t.no, 'thread', a_thread, 'erased', 0, moment);
  END IF;
  IF a_requests IS NOT NULL THEN
    PERFORM ${prefix}write_requests(a_tenant, t.no, t.version, moment, a_requests);
  END IF;
  IF a_grants IS NOT NULL THEN
    PERFORM ${prefix}write_grants(a_tenant, t.no, t.version, moment, a_grants);
  END IF;
  IF a_records IS NOT NULL THEN
    PERFORM ${prefix}apply_records(a_tenant, a_id, moment, a_records);
  END IF;
  IF a_snapshot IS NOT NULL THEN
    PERFORM ${prefix}write_snapshot(t.no, t.version, t.head, a_snapshot, a_state, a_chunks);
  END IF;
  IF (a_wake->>'tell')::boolean THEN
    INSERT INTO ${prefix}outbox (tenant, thread, subject, id, what, version, at)
      VALUES (a_tenant, t.no, 'thread', a_thread, 'ready', 0, moment);
  END IF;
  RETURN json_build_object('ok', true, 'version', t.version + count, 'at', moment,
    'lease', ${prefix}live_lease(t.lease_holder, t.lease_token, t.lease_until, moment), 'before', before,
    'head', encode(link, 'hex'));
END
$$;`

/**
 * Settles an append whose answer never came. Either it is found (an entry has its id as salt, or it was the last to change the lease), or it is
 * declared void under the thread's lock, so that it can never be stored.
 */
const settle = (prefix: string) => `
CREATE FUNCTION ${prefix}settle(
  a_tenant text, a_thread text, a_id bytea, a_count integer, a_time bigint, a_fixed boolean, a_patience integer
)
RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  t ${prefix}threads%ROWTYPE;
  moment bigint := ${prefix}clock_ms(a_time, a_fixed);
  first_seq bigint;
  stored_at bigint;
BEGIN
  PERFORM ${prefix}durable(a_patience);
  INSERT INTO ${prefix}threads (tenant, id, rev, version, at, head, lease_token, lease_until)
    VALUES (a_tenant, a_thread, 0, 0, 0, decode(repeat('00', 32), 'hex'), 0, 0)
    ON CONFLICT (tenant, id) DO UPDATE SET rev = ${prefix}threads.rev + 1 RETURNING * INTO t;
  moment := ${prefix}steady_ms(moment, t.at);
  SELECT e.seq, e.at INTO first_seq, stored_at FROM ${prefix}entries e WHERE e.thread = t.no AND e.salt = a_id;
  IF first_seq IS NULL AND t.lease_append IS DISTINCT FROM a_id THEN
    DELETE FROM ${prefix}voided v WHERE v.at < now() - interval '1 day';
    INSERT INTO ${prefix}voided (id) VALUES (a_id) ON CONFLICT DO NOTHING;
    RETURN json_build_object('stored', false);
  END IF;
  RETURN json_build_object('stored', true, 'before', coalesce(first_seq - 1, t.version),
    'head', encode(coalesce((SELECT e.hash FROM ${prefix}entries e WHERE e.thread = t.no AND e.seq = first_seq - 1 + a_count), t.head), 'hex'), 'at', coalesce(stored_at, moment),
    'took', t.lease_append IS NOT DISTINCT FROM a_id,
    'lease', ${prefix}live_lease(t.lease_holder, t.lease_token, t.lease_until, moment));
END
$$;`
