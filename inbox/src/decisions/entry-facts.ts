import type { ApiJournalPage } from 'holdpoint/client'

type JournalEntry = ApiJournalPage['entries'][number]

/** What a thread's journal says about one request. */
export interface EntryFacts {
  /** The entry that closed it, and the hashes before and after. */
  sealed?: { seq: number; before: string | undefined; after: string }
  /** What the person's page showed, by its digest. */
  shown?: string
  started?: string
  finished?: { at: string; failed: boolean }
}

interface Stored {
  type?: unknown
  id?: unknown
  call?: unknown
  request?: unknown
  shown?: unknown
  result?: unknown
}

const CLOSING = ['request.decided', 'request.answered', 'request.closed']

/** Reads the journal of a request's thread. Entries are data from a store: whatever does not fit is passed over. */
export function entryFactsOf(entries: readonly JournalEntry[], requestId: string): EntryFacts {
  const facts: EntryFacts = {}
  let call: string | undefined
  entries.forEach((entry, index) => {
    const stored = entry.entry as Stored
    if (stored === null || typeof stored !== 'object') return
    if (stored.id === requestId && stored.type === 'request.opened') call = keyOf(stored.call)
    if (stored.id === requestId && CLOSING.includes(String(stored.type))) {
      facts.sealed = { seq: entry.seq, before: entries[index - 1]?.hash, after: entry.hash }
      if (typeof stored.shown === 'string') facts.shown = stored.shown
    }
    if (call === undefined || keyOf(stored.call) !== call || facts.sealed === undefined) return
    if (stored.type === 'call.started') facts.started = entry.at
    if (stored.type === 'call.finished' && facts.started !== undefined)
      facts.finished = { at: entry.at, failed: hasFailed(stored.result) }
  })
  return facts
}

function keyOf(call: unknown): string | undefined {
  return call === undefined ? undefined : JSON.stringify(call)
}

function hasFailed(result: unknown): boolean {
  return typeof result === 'object' && result !== null && (result as { isError?: unknown }).isError === true
}
