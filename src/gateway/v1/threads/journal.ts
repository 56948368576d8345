import { mayAudit } from '../../../core/access.ts'
import { journalPage, journalQuery } from '../../../protocol/api/records.ts'
import { apiRoute } from '../api-route.ts'
import { NOT_FOUND, ok } from '../refusals.ts'
import { toAuditEntry } from './audit-lines.ts'
import { auditedIdOf } from './visible-thread.ts'

/** The entries of a thread as they are stored. */
export const journalRoute = apiRoute({
  method: 'GET',
  path: '/v1/threads/:id/journal',
  summary: 'The entries of a thread, for operators, admins and auditors',
  query: journalQuery,
  answer: journalPage,
  async handle({ store, caller, http, query }) {
    const id = auditedIdOf(http.param('id'))
    // For others it is absent, whether it exists or not.
    if (id === undefined || !mayAudit(caller)) return NOT_FOUND
    const { version } = await store.readHead(id)
    if (version === 0) return NOT_FOUND
    const { last: most } = query
    const { after, limit } = most === undefined ? query : { after: Math.max(0, version - most), limit: most }
    // One more than the page has: entries may be added meanwhile, or be missing.
    const chain = await store.readChain(id, { after, limit: limit + 1 })
    const page = chain.slice(0, limit)
    const last = page.at(-1)
    return ok({ entries: page.map(toAuditEntry), ...(last && chain.length > limit ? { next: last.seq } : {}) })
  },
})
