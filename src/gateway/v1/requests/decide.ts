import { canBeUndone } from '../../../desk/answer/decide.ts'
import type { RecordChange } from '../../../ports/records.ts'
import { type DecideBody, decideBody, requestItem } from '../../../protocol/api/requests.ts'
import type { GrantOptions } from '../../../protocol/grant.ts'
import { type Result, refuse } from '../../refusal.ts'
import { type ApiCall, apiRoute } from '../api-route.ts'
import { notAllowed, ok } from '../refusals.ts'
import type { KnownRequest } from '../views/request-item.ts'
import { mayGrant } from './grant-scopes.ts'
import { mayDecideIt } from './may-decide.ts'
import { authorOf, traceOf, writeToRequest } from './write-request.ts'

/** Decides a call, exactly as the person saw it. */
export const decideRoute = apiRoute({
  method: 'POST',
  path: '/v1/requests/:id/decide',
  summary: 'Decides a call: approve, edit, reject or respond',
  body: decideBody,
  answer: requestItem,
  refusals: [409],
  keyed: true,
  handle: (call) => writeToRequest(call, (known, records) => decideIt(call, { ...call.body, known, records })),
})

/** Decides one request at the desk, for this caller. */
export async function decideIt(
  call: ApiCall,
  { known, records, ...body }: DecideBody & { known: KnownRequest; records: readonly RecordChange[] },
): Promise<Result<void>> {
  const { opened, status } = known.facts
  if (opened.kind !== 'approve')
    return refuse(400, `This request is a ${opened.kind}: send its answer to /v1/requests/${opened.id}/answer.`)
  if (opened.digest !== undefined && body.digest === undefined)
    return refuse(400, 'digest: name the digest of the call that was shown.')
  const allowed = mayDecideIt(call, known)
  if (!allowed.ok) return allowed
  const { always = body.decision.always, undoSeconds, comment } = body
  if (!mayGrant(call.caller, always))
    return notAllowed('Only operators and admins may give a grant beyond this thread: use the scope run or thread.')
  const usual = status === 'open' && canBeUndone(opened) ? call.parts.settings.undoSeconds : 0
  await call.desk.decide({
    id: opened.id,
    version: body.version,
    ...(body.digest === undefined ? {} : { digest: body.digest }),
    ...(body.shown === undefined ? {} : { shown: body.shown }),
    decision: body.decision,
    by: authorOf(call),
    undoSeconds: undoSeconds ?? usual,
    ...(comment === undefined ? {} : { comment }),
    // The desk checks what it says.
    ...(always === undefined ? {} : { always: always as boolean | GrantOptions }),
    records,
    ...traceOf(call),
  })
  return ok(undefined)
}
