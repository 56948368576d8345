import { loadDriver } from '../store/sqlite/load-driver.ts'

/** A thread of a store. */
export interface ThreadName {
  readonly tenant: string
  readonly threadId: string
}

/**
 * Every thread of a store's file, of every tenant. Read from the file itself: an auditor must not depend on the index of requests, since who
 * takes an entry out can take a thread out of that index with it.
 */
export function listThreads(path: string): ThreadName[] {
  const db = loadDriver().open(path, 'write')
  try {
    const rows = db.prepare('SELECT tenant, id FROM threads ORDER BY tenant, id').all([])
    return rows.map((row) => ({ tenant: String(row.tenant), threadId: String(row.id) }))
  } finally {
    db.close()
  }
}
