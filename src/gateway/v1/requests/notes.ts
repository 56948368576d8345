import { mayOperate, mayWrite } from '../../../core/access.ts'
import {
  assignBody,
  claimBody,
  comment,
  commentBody,
  type RequestComment,
  requestItem,
} from '../../../protocol/api/requests.ts'
import { notesThread } from '../../../protocol/ids.ts'
import { type Result, refuse } from '../../refusal.ts'
import { type ApiCall, apiRoute } from '../api-route.ts'
import { keyOf, once } from '../idempotency.ts'
import { NOT_FOUND, ok, READ_ONLY, refuseWith } from '../refusals.ts'
import { toComment } from '../views/comment.ts'
import { mayDecideIt } from './may-decide.ts'
import { isId, visibleRequest } from './visible-request.ts'
import { authorOf, toAnswer, writeToRequest } from './write-request.ts'

/** Adds a comment for the other people. The model never reads it. */
export const commentRoute = apiRoute({
  method: 'POST',
  path: '/v1/requests/:id/comments',
  summary: 'Adds a comment, which people read and the model does not',
  body: commentBody,
  answer: comment,
  status: 201,
  keyed: true,
  async handle(call) {
    const key = keyOf(call)
    if (!key.ok) return key
    const id = call.http.param('id')
    const found = await visibleRequest(call, id)
    if (!found.ok) return found
    if (!mayWrite(call.caller)) return READ_ONLY
    const outcome = await once<RequestComment>(call, key.value, {
      body: call.body,
      status: 201,
      subject: id,
      async replay() {
        const { sub } = call.caller
        const own = (await call.desk.notes(id)).findLast(
          (note) => note.type === 'comment' && note.by.id === sub && note.text === call.body.text,
        )
        const comment = own && toComment(own)
        return comment ? ok(comment) : NOT_FOUND
      },
      async write(records) {
        const room = await roomForNotes(call, id)
        if (!room.ok) return room
        const added = toComment(await call.desk.comment(id, { ...call.body, by: authorOf(call), records }))
        return added ? ok(added) : NOT_FOUND
      },
    })
    return toAnswer(outcome)
  },
})

/** Assigns a request to somebody, or to nobody. */
export const assignRoute = apiRoute({
  method: 'POST',
  path: '/v1/requests/:id/assign',
  summary: 'Assigns a request to somebody, or to nobody; it decides nothing',
  body: assignBody,
  answer: requestItem,
  refusals: [409],
  keyed: true,
  handle: (call) =>
    writeToRequest(call, async (known, records) => {
      if (call.body.assignee !== null && !isId(call.body.assignee))
        return refuse(400, 'assignee: not the id of a person.')
      // Operators and admins also assign requests that they may not decide.
      const allowed = mayOperate(call.caller) ? ok(undefined) : mayDecideIt(call, known)
      if (!allowed.ok) return allowed
      const room = await roomForNotes(call, known.facts.opened.id)
      if (!room.ok) return room
      await call.desk.assign(known.facts.opened.id, { ...call.body, by: authorOf(call), records })
      return ok(undefined)
    }),
})

/** Takes a request for a while. */
export const claimRoute = apiRoute({
  method: 'POST',
  path: '/v1/requests/:id/claim',
  summary: 'Takes a request for a while, unless somebody else has it',
  body: claimBody,
  answer: requestItem,
  refusals: [409],
  keyed: true,
  handle: (call) =>
    writeToRequest(call, async (known, records) => {
      const { sub } = call.caller
      const allowed = mayDecideIt(call, known)
      if (!allowed.ok) return allowed
      const room = await roomForNotes(call, known.facts.opened.id)
      if (!room.ok) return room
      await call.desk.assign(known.facts.opened.id, {
        ...call.body,
        assignee: sub,
        by: authorOf(call),
        claim: true,
        records,
      })
      return ok(undefined)
    }),
})

/** How many notes one request takes. Whoever opens the request reads all of them. */
const MOST_NOTES = 1000

async function roomForNotes({ store }: ApiCall, id: string): Promise<Result<void>> {
  const { version } = await store.readHead(notesThread(id))
  if (version < MOST_NOTES) return ok(undefined)
  const detail = `This request has ${MOST_NOTES} comments and assignments already, which is the maximum.`
  return refuseWith({ status: 422, code: 'too_many_notes', detail })
}
