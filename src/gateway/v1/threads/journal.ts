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
  async handle({ store, caller, http, query: { after, limit } }) {
    const id = auditedIdOf(http.param('id'))
    // For others it is absent, whether it exists or not.
    if (id === undefined || !mayAudit(caller)) return NOT_FOUND
    const chain = await store.readChain(id)
    if (chain.length === 0) return NOT_FOUND
    const page = chain.filter(({ seq }) => seq > after).slice(0, limit)
    const entries = page.map(toAuditEntry)
    const last = page.at(-1)
    return ok({ entries, ...(last && last.seq < chain.length ? { next: last.seq } : {}) })
  },
})
