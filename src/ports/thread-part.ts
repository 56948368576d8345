import type { StoredEntry } from './stored-entry.ts'

/** Which entries of a thread: the last ones before a number. */
export interface PartQuery {
  /** Only entries with a lower number. Left out: up to the end. */
  before?: number
  /** How many at most: 1 to 500. Default 50. */
  limit?: number
}

/** Some entries of a thread that follow each other. */
export interface ThreadPart {
  /** The version of the whole thread. */
  version: number
  entries: StoredEntry[]
}
