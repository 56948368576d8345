import type { InboxClient } from '../../client.ts'
import type { Store } from '../../index.ts'
import { isThreadErased, ThreadNotFound } from '../../protocol/errors/errors.ts'
import type { Call } from '../command-line/command.ts'
import { type ThreadName, threadsOf } from '../store/list-threads.ts'
import { withStore } from '../store/open-store.ts'
import { gatewayOf } from './gateway-place.ts'
import { gatewayRecords } from './gateway-records.ts'

/** A stored entry. */
export interface JournalEntry {
  seq: number
  at: number
  body: string
}

/** Whole journals, for commands that replay them. */
export interface Journals {
  /** The threads that the options name. At a gateway: those that have requests. */
  threads(): Promise<ThreadName[]>
  read(thread: ThreadName): Promise<JournalEntry[]>
}

/** Reads journals for the time of `work`: of the gateway of `--url` or HOLDPOINT_URL, else of a store. */
export async function withJournals<T>(call: Call, work: (journals: Journals) => Promise<T>): Promise<T> {
  const at = gatewayOf(call)
  return at ? work(ofGateway(call, at.client)) : withStore(call, (store) => work(ofStore(call, store)))
}

function ofStore(call: Call, store: Store): Journals {
  return {
    threads: () => threadsOf(call, store),
    async read({ tenant, threadId }) {
      try {
        return [...(await store.tenant(tenant).read(threadId)).entries]
      } catch (error) {
        // Among all threads an erased one has nothing to replay.
        if (isThreadErased(error) && call.text('thread') === undefined) return []
        throw error
      }
    },
  }
}

function ofGateway(call: Call, client: InboxClient): Journals {
  const { journal } = gatewayRecords(client)
  return {
    async threads() {
      const { tenant } = await client.me()
      const one = call.text('thread')
      if (one !== undefined) return [{ tenant, threadId: one }]
      const found: ThreadName[] = []
      let cursor: string | undefined
      do {
        const page = await client.threads({ limit: 200, ...(cursor === undefined ? {} : { cursor }) })
        found.push(...page.threads.map(({ id }) => ({ tenant, threadId: id })))
        cursor = page.next
      } while (cursor !== undefined)
      return found
    },
    async read({ threadId }) {
      const entries: JournalEntry[] = []
      for await (const { seq, at, entry } of journal(threadId, 0))
        entries.push({ seq, at: Date.parse(at), body: JSON.stringify(entry) })
      if (entries.length === 0) throw new ThreadNotFound(threadId)
      return entries
    },
  }
}
