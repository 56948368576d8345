import { me } from '../../protocol/api/people.ts'
import { meOf } from '../sign-in/me.ts'
import { apiRoute } from './api-route.ts'
import { ok } from './refusals.ts'

/** Who calls, and what the page needs to know about this server. */
export const meRoute = apiRoute({
  method: 'GET',
  path: '/v1/me',
  summary: 'Who calls, and how this server is set up',
  answer: me,
  handle: async ({ parts, caller }) => ok(await meOf(parts, caller)),
})
