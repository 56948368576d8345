import { mayAudit } from '../../../core/access.ts'
import { type AuditLine, auditQuery } from '../../../protocol/api/records.ts'
import type { Reply } from '../../http/reply.ts'
import { errorFields } from '../../log.ts'
import { type ApiCall, apiRoute } from '../api-route.ts'
import { AUDIT_DENIED } from '../refusals.ts'
import { auditLines } from './audit-lines.ts'
import { threadsOfTenant } from './tenant-threads.ts'
import { auditedIdOf } from './visible-thread.ts'

const LINES = 'application/x-ndjson'

/** The journals of the tenant, thread by thread. */
export const auditRoute = apiRoute({
  method: 'GET',
  path: '/v1/audit',
  summary: 'All entries of the tenant as JSON Lines, thread by thread, for operators, admins and auditors',
  query: auditQuery,
  answer: LINES,
  async handle(call) {
    if (!mayAudit(call.caller)) return AUDIT_DENIED
    const { thread, ...times } = call.query
    const threads = thread === undefined ? threadsOfTenant(call.store) : idsOf(thread)
    return linesReply(call, auditLines(call.store, threads, times))
  },
})

/** None, if there can be no such thread. */
function idsOf(given: string): string[] {
  const id = auditedIdOf(given)
  return id === undefined ? [] : [id]
}

const CHUNK = 64 * 1024
const encoder = new TextEncoder()

/** A response that is written as fast as its reader takes it. An export that fails breaks off, so that it cannot pass for a whole one. */
function linesReply({ parts }: ApiCall, lines: AsyncGenerator<AuditLine, void, void>): Reply {
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          let text = ''
          while (text.length < CHUNK) {
            const { value, done } = await lines.next()
            if (!done) text += `${JSON.stringify(value)}\n`
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
        await lines.return()
      },
    },
    { highWaterMark: 0 },
  )
  return { status: 200, body, headers: { 'content-type': LINES } }
}
