import { answerBody, requestItem } from '../../../protocol/api/requests.ts'
import { refuse } from '../../refusal.ts'
import { apiRoute } from '../api-route.ts'
import { ok } from '../refusals.ts'
import { mayDecideIt } from './may-decide.ts'
import { authorOf, traceOf, writeToRequest } from './write-request.ts'

/** Answers a question. */
export const answerRoute = apiRoute({
  method: 'POST',
  path: '/v1/requests/:id/answer',
  summary: 'Answers a confirm (true or false) or an ask (an object of strings)',
  body: answerBody,
  answer: requestItem,
  refusals: [409],
  keyed: true,
  handle: (call) =>
    writeToRequest(call, async (known, records) => {
      const { opened } = known.facts
      if (opened.kind === 'approve')
        return refuse(400, `This request is about a call: send a decision to /v1/requests/${opened.id}/decide.`)
      const allowed = mayDecideIt(call, known)
      if (!allowed.ok) return allowed
      const { version, answer, comment } = call.body
      const by = authorOf(call)
      const said = comment === undefined ? {} : { comment }
      await call.desk.answer(opened.id, answer, { version, by, ...said, records, ...traceOf(call) })
      return ok(undefined)
    }),
})
