import { mayWithdraw } from '../../../core/access.ts'
import { requestItem, withdrawBody } from '../../../protocol/api/requests.ts'
import { HitlStaleAnswer } from '../../../protocol/errors/errors.ts'
import { apiRoute } from '../api-route.ts'
import { notAllowed, ok } from '../refusals.ts'
import { authorOf, writeToRequest } from './write-request.ts'

/** Takes a decision back before it takes effect. */
export const withdrawRoute = apiRoute({
  method: 'POST',
  path: '/v1/requests/:id/withdraw',
  summary: 'Takes a decision back that has not taken effect; the request is open again',
  body: withdrawBody,
  answer: requestItem,
  refusals: [409],
  keyed: true,
  handle: (call) =>
    writeToRequest(call, async ({ facts }, records) => {
      const { opened, changed, version } = facts
      if (changed?.type !== 'request.decided' || version !== call.body.version)
        throw new HitlStaleAnswer({ ...facts, id: opened.id })
      if (!mayWithdraw(call.caller, changed.by))
        return notAllowed(`Only ${changed.by.id}, an operator or an admin can withdraw this decision.`)
      await call.desk.withdraw(opened.id, authorOf(call), { anyAuthor: true, version, records })
      return ok(undefined)
    }),
})
