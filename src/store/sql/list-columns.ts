import type { Dialect } from './dialect.ts'

/**
 * What came with lists of decisions and exact counts: when a request was opened or last changed, and its reviewer lists if there are several (JSON;
 * `NULL`: `readers` is the only one). Builds that do not know a column leave its default.
 */
export function addListColumns({ prefix, integer, text, byChange }: Dialect): string {
  return `
ALTER TABLE ${prefix}requests ADD COLUMN lists ${text};
ALTER TABLE ${prefix}requests ADD COLUMN changed_at ${integer} NOT NULL DEFAULT 0;
UPDATE ${prefix}requests SET changed_at = coalesce((
  SELECT e.at FROM ${prefix}entries e
  WHERE e.thread = ${prefix}requests.thread AND e.seq = coalesce(${prefix}requests.changed, ${prefix}requests.opened)), 0);
CREATE INDEX requests_changed ON ${prefix}requests (${byChange.tenant}, changed_at, ${byChange.id}, status);
`
}
