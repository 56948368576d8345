import type { Dialect } from '../../sql/dialect.ts'
import { createDueIndex } from '../../sql/due.ts'

/** One expression: while there are no statistics, the planner takes a condition on the status to be rare, and sorts all that it finds. */
const OPEN_DEADLINE = `(CASE WHEN status = 'open' THEN expires_at END)`

/** The deadline of an open request, since version 5. */
export const DUE: Dialect['due'] = { at: OPEN_DEADLINE, where: `${OPEN_DEADLINE} IS NOT NULL` }

/**
 * The indexes of requests and grants, since version 5.
 *
 * I1  A row is looked up by its id through the primary key, also in a plan that was made when the table was empty and is kept. There the planner takes
 *     any index that begins with the tenant to be as good. So there is no other: it begins with another column or an expression, or it is partial.
 * I2  A decision changes few indexes: those by tool, agent and assignee hold only open requests, and updates find room on the same page.
 */
export function narrowIndexes(prefix: string): string {
  return `
DROP INDEX ${prefix}requests_status, ${prefix}requests_tool, ${prefix}requests_agent, ${prefix}requests_assignee,
  ${prefix}requests_due, ${prefix}grants_place;
${createDueIndex(prefix, DUE).trim()}
CREATE INDEX requests_status ON ${prefix}requests (status, tenant, id);
CREATE INDEX requests_tool ON ${prefix}requests (tenant, tool, id) WHERE status = 'open';
CREATE INDEX requests_agent ON ${prefix}requests (tenant, agent, id) WHERE status = 'open';
CREATE INDEX requests_assignee ON ${prefix}requests (tenant, assignee, id) WHERE status = 'open' AND assignee IS NOT NULL;
ALTER TABLE ${prefix}requests SET (fillfactor = 70);
CREATE INDEX grants_place ON ${prefix}grants (place, tenant, live, tool, id);
`
}

/**
 * Room in the pages of the index of entries. Its pages are filled by new threads and grow in the middle afterwards, since each thread appends to its own
 * entries. A full page would be split there, and half of it written to the log.
 */
export function leaveRoom(prefix: string): string {
  return `
ALTER INDEX ${prefix}entries_thread SET (fillfactor = 70);
`
}
