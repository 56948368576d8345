import type { Dialect } from './dialect.ts'

/**
 * The table of grants, since version 2. `place` is the scope of a grant. `live` is 0 once the grant was revoked or used up, so that queries skip it.
 * Readers check expiry themselves.
 */
export function createGrantTable({ prefix, integer, time, text, ordered, real }: Dialect): string {
  return `
CREATE TABLE ${prefix}grants (
  tenant ${text} NOT NULL,
  id ${text} NOT NULL,
  thread ${integer} NOT NULL,
  created ${integer} NOT NULL,
  revoked ${integer},
  place ${text} NOT NULL,
  agent ${text} NOT NULL,
  tool ${text} NOT NULL,
  uses ${integer},
  used ${integer} NOT NULL,
  cap ${real},
  spent ${real} NOT NULL,
  expires_at ${time},
  live ${integer} NOT NULL,
  PRIMARY KEY (tenant, id)
)${ordered};
CREATE INDEX grants_place ON ${prefix}grants (tenant, place, live, tool, id);
CREATE INDEX grants_thread ON ${prefix}grants (thread, id);
`
}
