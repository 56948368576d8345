import type { Me } from 'holdpoint/client'
import { useClient } from 'holdpoint/react'
import { useEffect, useState } from 'react'
import { mayAudit } from '../view/may-audit.ts'
import { type EntryFacts, entryFactsOf } from './entry-facts.ts'

const PAGE = 1000
/** A journal that is longer is not read to its end for one entry. */
const MOST_PAGES = 10

/** What the journal says about a request, for those who may read it. */
export function useEntryFacts(request: { id: string; threadId: string; version: number }, me: Me | undefined) {
  const client = useClient()
  const [facts, setFacts] = useState<EntryFacts>()
  const { id, threadId, version } = request
  const audits = me !== undefined && mayAudit(me)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version has other entries
  useEffect(() => {
    if (!audits) return
    const ending = new AbortController()
    const read = async () => {
      const entries = []
      let after = 0
      for (let page = 0; page < MOST_PAGES; page++) {
        const { entries: some, next } = await client.journal(
          threadId,
          { after, limit: PAGE },
          { signal: ending.signal },
        )
        entries.push(...some)
        if (next === undefined) break
        after = next
      }
      if (!ending.signal.aborted) setFacts(entryFactsOf(entries, id))
    }
    // The entry is shown without its seals then.
    read().catch(() => undefined)
    return () => ending.abort()
  }, [client, id, threadId, version, audits])
  return facts
}
