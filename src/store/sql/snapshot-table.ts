import type { Dialect } from './dialect.ts'

/**
 * The table of snapshots. A row is replaced in place, so that a write changes one page. `hash` is that of the entry at `version`: with it, a
 * snapshot of another history is recognised.
 */
export function createSnapshotTable({ prefix, key, integer, text, blob }: Dialect): string {
  return `
CREATE TABLE ${prefix}snapshots (
  no ${key},
  thread ${integer} NOT NULL,
  fold ${integer} NOT NULL,
  version ${integer} NOT NULL,
  hash ${blob} NOT NULL,
  body ${text} NOT NULL,
  mac_key ${text},
  mac ${blob},
  UNIQUE (thread, fold)
);
`
}

/**
 * The table of chunks. Rows are added at its end, so that a write changes few pages; an index of three small numbers finds a thread's own.
 */
export function createChunkTable({ prefix, key, integer, text }: Dialect): string {
  return `
CREATE TABLE ${prefix}chunks (
  no ${key},
  thread ${integer} NOT NULL,
  fold ${integer} NOT NULL,
  number ${integer} NOT NULL,
  body ${text} NOT NULL,
  UNIQUE (thread, fold, number)
);
`
}
