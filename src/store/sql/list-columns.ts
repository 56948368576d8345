import type { Dialect } from './dialect.ts'

/** The last column by which lists of changes are ordered. */
export const ID_BY_CHANGE = `(id || '')`

/** The tenant of such a list. Expressions, so that no planner takes this index for a way to look up a request by tenant and id. */
export const TENANT_BY_CHANGE = `(tenant || '')`

/**
 * What came with lists of decisions and exact counts: when a request was opened or last changed, and its reviewer lists if there are several (JSON;
 * `NULL`: `readers` is the only one). Builds that do not know a column leave its default.
 */
export function addListColumns({ prefix, integer, text }: Dialect): string {
  return `
ALTER TABLE ${prefix}requests ADD COLUMN lists ${text};
ALTER TABLE ${prefix}requests ADD COLUMN changed_at ${integer} NOT NULL DEFAULT 0;
UPDATE ${prefix}requests SET changed_at = coalesce((
  SELECT e.at FROM ${prefix}entries e
  WHERE e.thread = ${prefix}requests.thread AND e.seq = coalesce(${prefix}requests.changed, ${prefix}requests.opened)), 0);
CREATE INDEX requests_changed ON ${prefix}requests (${TENANT_BY_CHANGE}, changed_at, ${ID_BY_CHANGE}, status);
`
}
