import { mayAudit } from '../../../core/access.ts'
import type { Store } from '../../../ports/store.ts'
import {
  type AuditLine,
  auditQuery,
  type Verification,
  verification,
  verifyQuery,
} from '../../../protocol/api/records.ts'
import { toHex } from '../../../protocol/chain/chain.ts'
import type { Reply } from '../../http/reply.ts'
import { errorFields } from '../../log.ts'
import { type ApiCall, apiRoute } from '../api-route.ts'
import { NOT_FOUND, notAllowed, ok } from '../refusals.ts'
import { iso } from '../views/request-item.ts'
import { threadsOfTenant } from './tenant-threads.ts'
import { verifyThread } from './verify-thread.ts'
import { threadIdOf } from './visible-thread.ts'

const LINES = 'application/x-ndjson'
const DENIED = notAllowed('Only operators, admins and auditors read the audit.')

/** The journals of the tenant, thread by thread. */
export const auditRoute = apiRoute({
  method: 'GET',
  path: '/v1/audit',
  summary: 'All entries of the tenant as JSON Lines, thread by thread, for operators, admins and auditors',
  query: auditQuery,
  answer: LINES,
  async handle(call) {
    if (!mayAudit(call.caller)) return DENIED
    const { thread } = call.query
    const threads = thread === undefined ? threadsOfTenant(call.store) : [threadIdOf(thread)]
    return linesReply(call, exported(call.store, threads, call.query))
  },
})

/** The lines of an export. One thread is read at a time, when the lines before it were taken. */
async function* exported(
  store: Store,
  threads: AsyncIterable<string> | Iterable<string | undefined>,
  { from, to }: { from?: string; to?: string },
): AsyncGenerator<string> {
  const earliest = from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from)
  const end = to === undefined ? Number.POSITIVE_INFINITY : Date.parse(to)
  for await (const thread of threads) {
    if (thread === undefined) continue
    for (const { seq, at, hash, body } of await store.readChain(thread)) {
      if (at < earliest || at >= end) continue
      const line: AuditLine = { thread, seq, at: iso(at), hash: toHex(hash), entry: JSON.parse(body) }
      yield `${JSON.stringify(line)}\n`
    }
  }
}

const CHUNK = 64 * 1024
const encoder = new TextEncoder()

/** A response that is written as fast as its reader takes it. An export that fails breaks off, so that it cannot pass for a whole one. */
function linesReply({ parts }: ApiCall, lines: AsyncGenerator<string>): Reply {
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          let text = ''
          while (text.length < CHUNK) {
            const { value, done } = await lines.next()
            if (!done) text += value
            else if (text === '') return controller.close()
            else break
          }
          controller.enqueue(encoder.encode(text))
        } catch (error) {
          parts.logger?.error(errorFields(error), 'an export broke off')
          controller.error(error)
        }
      },
      async cancel() {
        await lines.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
  return { status: 200, body, headers: { 'content-type': LINES } }
}

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
    if (!mayAudit(call.caller)) return DENIED
    const { thread, after } = call.query
    if (thread === undefined) return ok(await verifyAll(call, threadsOfTenant(call.store, after)))
    const id = threadIdOf(thread)
    if (id === undefined || (await call.store.readHead(id)).version === 0) return NOT_FOUND
    return ok(await verifyAll(call, [id]))
  },
})

async function verifyAll({ store }: ApiCall, ids: AsyncIterable<string> | Iterable<string>): Promise<Verification> {
  const until = performance.now() + BUDGET_MS
  const found = { ok: true, threads: 0, entries: 0, signed: true, problems: [] as Verification['problems'] }
  let last: string | undefined
  for await (const threadId of ids) {
    // At least one thread is checked each time, however long it is.
    if (last !== undefined && performance.now() > until)
      return { ...found, signed: found.signed && found.threads > 0, next: last }
    const check = await verifyThread(store, threadId)
    last = threadId
    found.threads += 1
    found.entries += check.entries
    found.signed &&= check.signed
    if (check.problem !== undefined) found.problems.push({ threadId, problem: check.problem })
    found.ok = found.problems.length === 0
  }
  return { ...found, signed: found.signed && found.threads > 0 }
}
