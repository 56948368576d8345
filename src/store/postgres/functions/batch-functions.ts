import { APPEND_PARAMETERS } from './append-parameters.ts'

/**
 * The SQL function that makes appends of different threads with one transaction. Each has a row of the result, in order.
 *
 * B1  What an append finds and writes does not depend on its neighbours. A refused one leaves theirs as they are.
 * B2  It never waits for the lock of a thread: an append whose thread is locked has `NULL`, and nothing of it is stored.
 * B3  An error is everybody's: nothing of the batch is stored.
 */
export function createBatchFunctions(prefix: string): string {
  const columns = APPEND_PARAMETERS.map(({ name, type }) => `${name} ${type === 'json' ? 'text' : type}`).join(', ')
  const values = APPEND_PARAMETERS.map(({ name, type }) => `m.${name}${type === 'json' ? '::json' : ''}`).join(', ')
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
