import type { Dialect } from './dialect.ts'

/**
 * What came with the inbox: columns of requests that lists filter by, records, and the outbox. The text is the last column, so that a scan of the
 * others need not read it. `readers` is `NULL` only if nothing could be read from the entry of an earlier build.
 */
export function addInbox({ prefix, integer, time, text, ordered }: Dialect): string {
  return `
ALTER TABLE ${prefix}requests ADD COLUMN readers ${text};
ALTER TABLE ${prefix}requests ADD COLUMN risk ${text};
ALTER TABLE ${prefix}requests ADD COLUMN assigned_to ${text};
ALTER TABLE ${prefix}requests ADD COLUMN assigned_until ${time};
ALTER TABLE ${prefix}requests ADD COLUMN comments ${integer} NOT NULL DEFAULT 0;
ALTER TABLE ${prefix}requests ADD COLUMN noted_at ${integer};
ALTER TABLE ${prefix}requests ADD COLUMN text ${text};
CREATE TABLE ${prefix}records (
  tenant ${text} NOT NULL,
  kind ${text} NOT NULL,
  id ${text} NOT NULL,
  version ${integer} NOT NULL,
  at ${integer} NOT NULL,
  expires_at ${integer},
  value ${text} NOT NULL,
  PRIMARY KEY (tenant, kind, id)
)${ordered};
CREATE INDEX records_expiry ON ${prefix}records (expires_at) WHERE expires_at IS NOT NULL;
`
}

/**
 * The mark of a store: the version of its tables, and the oldest version of the code that can still serve it. Changes are made in two steps:
 * one adds what new code needs and leaves `oldest`, a later one removes what old code needed and raises it.
 */
export function createMark({ prefix, integer }: Dialect): string {
  return `CREATE TABLE ${prefix}holdpoint_store (version ${integer} NOT NULL, oldest ${integer} NOT NULL);`
}
