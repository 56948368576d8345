import { cancelBody, requestItem } from '../../../protocol/api/requests.ts'
import { refuse } from '../../refusal.ts'
import { apiRoute } from '../api-route.ts'
import { ok } from '../refusals.ts'
import { mayDecideIt } from './may-decide.ts'
import { authorOf, writeToRequest } from './write-request.ts'

/** Closes a question that cannot be answered. */
export const cancelRoute = apiRoute({
  method: 'POST',
  path: '/v1/requests/:id/cancel',
  summary: 'Closes a confirm or an ask without an answer. The agent reads the reason',
  body: cancelBody,
  answer: requestItem,
  refusals: [409],
  keyed: true,
  handle: (call) =>
    writeToRequest(call, async (known, records) => {
      const { opened } = known.facts
      if (opened.kind === 'approve')
        return refuse(400, `This request is about a call: reject it at /v1/requests/${opened.id}/decide.`)
      const allowed = mayDecideIt(call, known)
      if (!allowed.ok) return allowed
      await call.desk.cancel(opened.id, { ...call.body, by: authorOf(call), records })
      return ok(undefined)
    }),
})
