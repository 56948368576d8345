import { mayAudit } from '../../../core/access.ts'
import { type Verification, verification, verifyQuery } from '../../../protocol/api/records.ts'
import { type ApiCall, apiRoute } from '../api-route.ts'
import { AUDIT_DENIED, NOT_FOUND, ok } from '../refusals.ts'
import { threadsOfTenant } from './tenant-threads.ts'
import { verifyThread } from './verify-thread.ts'
import { auditedIdOf } from './visible-thread.ts'

/** How long one check may take before it answers with what is left. */
const BUDGET_MS = 2000

/** Checks the hash chains of the tenant. */
export const verifyRoute = apiRoute({
  method: 'GET',
  path: '/v1/audit/verify',
  summary: 'Checks the hash chains of the tenant, as far as two seconds go; continue with next',
  query: verifyQuery,
  answer: verification,
  async handle(call) {
    if (!mayAudit(call.caller)) return AUDIT_DENIED
    const { thread, after } = call.query
    if (thread === undefined) return ok(await verifyAll(call, threadsOfTenant(call.store, after)))
    const id = auditedIdOf(thread)
    if (id === undefined || (await call.store.readHead(id)).version === 0) return NOT_FOUND
    return ok(await verifyAll(call, [id]))
  },
})

async function verifyAll({ store }: ApiCall, ids: AsyncIterable<string> | Iterable<string>): Promise<Verification> {
  const until = performance.now() + BUDGET_MS
  const found = { ok: true, threads: 0, entries: 0, erased: 0, signed: true, problems: [] as Verification['problems'] }
  let last: string | undefined
  for await (const threadId of ids) {
    // At least one thread is checked each time, however long it is.
    if (last !== undefined && performance.now() > until)
      return { ...found, signed: found.signed && found.threads > 0, next: last }
    const check = await verifyThread(store, threadId)
    last = threadId
    found.threads += 1
    found.entries += check.entries
    found.erased += check.erased
    found.signed &&= check.signed
    if (check.problem !== undefined) found.problems.push({ threadId, problem: check.problem })
    found.ok = found.problems.length === 0
  }
  return { ...found, signed: found.signed && found.threads > 0 }
}
