import type { Dialect } from './dialect.ts'

/**
 * The tables that the SQL stores share.
 *
 * Entries are kept in the order of their arrival, so that a group commit of many threads writes few pages; an index of two small
 * numbers finds a thread's own. Requests refer to entries instead of copying them. `rev` counts the writes of a thread's row: a cached row is
 * validated with one comparison.
 */
export function createTables({ prefix, key, integer, time, text, blob, ordered }: Dialect): string {
  return `
CREATE TABLE ${prefix}threads (
  no ${key},
  tenant ${text} NOT NULL,
  id ${text} NOT NULL,
  rev ${integer} NOT NULL,
  version ${integer} NOT NULL,
  at ${integer} NOT NULL,
  head ${blob} NOT NULL,
  lease_token ${integer} NOT NULL,
  lease_holder ${text},
  lease_until ${time} NOT NULL,
  UNIQUE (tenant, id)
);
CREATE TABLE ${prefix}entries (
  thread ${integer} NOT NULL,
  seq ${integer} NOT NULL,
  at ${integer} NOT NULL,
  body ${text} NOT NULL,
  salt ${blob} NOT NULL,
  hash ${blob} NOT NULL
);
CREATE UNIQUE INDEX entries_thread ON ${prefix}entries (thread, seq);
CREATE TABLE ${prefix}requests (
  tenant ${text} NOT NULL,
  id ${text} NOT NULL,
  thread ${integer} NOT NULL,
  opened ${integer} NOT NULL,
  changed ${integer},
  version ${integer} NOT NULL,
  status ${text} NOT NULL,
  kind ${text} NOT NULL,
  question_id ${text} NOT NULL,
  agent ${text} NOT NULL,
  tool ${text},
  assignee ${text},
  expires_at ${time},
  PRIMARY KEY (tenant, id)
)${ordered};
CREATE INDEX requests_thread ON ${prefix}requests (thread, id);
CREATE INDEX requests_status ON ${prefix}requests (tenant, status, id);
CREATE INDEX requests_tool ON ${prefix}requests (tenant, status, tool, id);
CREATE INDEX requests_agent ON ${prefix}requests (tenant, status, agent, id);
CREATE INDEX requests_assignee ON ${prefix}requests (tenant, status, assignee, id) WHERE assignee IS NOT NULL;
`
}

/** The signature of a thread's end, and the id of its key; `NULL` where there is no audit key. */
export function addMacs({ prefix, text, blob }: Dialect): string {
  return `
ALTER TABLE ${prefix}threads ADD COLUMN mac_key ${text};
ALTER TABLE ${prefix}threads ADD COLUMN mac ${blob};
`
}
