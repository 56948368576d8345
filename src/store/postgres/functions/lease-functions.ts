import { MAX_LEASE_MS } from '../../shared/lease.ts'

/** The SQL functions that read and renew leases. */
export function createLeaseFunctions(prefix: string): string {
  return [lease(prefix), renew(prefix)].join('\n')
}

const lease = (prefix: string) => `
CREATE FUNCTION ${prefix}live_lease(holder text, token bigint, until double precision, moment bigint)
RETURNS json LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN holder IS NOT NULL AND until > moment AND until - moment <= ${MAX_LEASE_MS}
    THEN json_build_object('holder', holder, 'token', token, 'until', until) END
$$;`

const renew = (prefix: string) => `
CREATE FUNCTION ${prefix}renew(
  a_tenant text, a_thread text, a_holder text, a_token double precision, a_ttl double precision, a_time bigint, a_fixed boolean,
  a_patience integer
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  t ${prefix}threads%ROWTYPE;
  moment bigint;
BEGIN
  PERFORM ${prefix}durable(a_patience);
  SELECT * INTO t FROM ${prefix}threads h WHERE h.tenant = a_tenant AND h.id = a_thread FOR UPDATE;
  moment := ${prefix}steady_ms(${prefix}clock_ms(a_time, a_fixed), t.at);
  IF NOT FOUND OR t.erased_at IS NOT NULL OR t.lease_holder IS NULL OR t.lease_until <= moment
    OR (t.lease_token, t.lease_holder) IS DISTINCT FROM (a_token, a_holder) THEN
    RETURN false;
  END IF;
  UPDATE ${prefix}threads h SET rev = h.rev + 1, at = moment, lease_until = moment + a_ttl WHERE h.no = t.no;
  RETURN true;
END
$$;`
