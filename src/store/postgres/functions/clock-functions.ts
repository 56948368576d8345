import { STANDSTILL_MS } from '../../shared/steady-clock.ts'

/** The SQL functions for the store's time. */
export function createClockFunctions(prefix: string): string {
  return [steady(prefix), clock(prefix)].join('\n')
}

/** The expression of `steady_ms`, for variables that it may name twice. */
export function steadyTime(present: string, latest: string): string {
  return `CASE WHEN ${latest} - ${present} > ${STANDSTILL_MS} THEN ${present} ELSE greatest(${present}, ${latest}) END`
}

/** `told` is the time of the `clock` option (`fixed`), or the latest that the caller has seen: time does not run backwards. */
const clock = (prefix: string) => `
CREATE FUNCTION ${prefix}clock_ms(told bigint, fixed boolean) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  present bigint := floor(extract(epoch FROM clock_timestamp()) * 1000);
BEGIN
  RETURN CASE WHEN fixed THEN told ELSE ${steadyTime('present', 'told')} END;
END
$$;`

/**
 * The time, where `latest` is the latest that was returned before: see `steadyTime`. In PL/pgSQL, whose plans a connection keeps: a function in SQL that
 * cannot be inlined is planned again in every transaction.
 */
const steady = (prefix: string) => `
CREATE FUNCTION ${prefix}steady_ms(present bigint, latest bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN ${steadyTime('present', 'latest')};
END
$$;`
