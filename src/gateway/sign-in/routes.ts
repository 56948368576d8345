import { z } from 'zod'
import { mayAdminister } from '../../core/access.ts'
import { me, signedIn, signIn } from '../../protocol/api/people.ts'
import { type AnyRoute, apiRoute, type OpenRoute } from '../v1/api-route.ts'
import { NOT_FOUND, ok } from '../v1/refusals.ts'
import { setCookie } from './cookie.ts'
import { listSessions, readSession, sessionEnd } from './session-records.ts'
import { signInByHttp, toSignedIn } from './sign-in.ts'

const start: OpenRoute = {
  method: 'POST',
  path: '/v1/session',
  summary: 'Signs in with a one-time code or a token, and sets the cookie of the session',
  body: signIn,
  answer: me,
  open: signInByHttp,
}

const end = apiRoute({
  method: 'DELETE',
  path: '/v1/session',
  summary: 'Signs out: ends the session of the cookie',
  answer: null,
  async handle({ parts, caller, http, store }) {
    if (caller.session !== undefined) await store.writeRecords([sessionEnd(caller.session)])
    const origin = parts.origins.of(http.request)
    const cookie = origin && setCookie({ origin, basePath: parts.settings.basePath })
    return { status: 204, body: null, headers: cookie ? { 'set-cookie': cookie } : {} }
  },
})

const list = apiRoute({
  method: 'GET',
  path: '/v1/sessions',
  summary: 'The sessions of the caller; an admin sees those of the tenant',
  answer: z.object({ sessions: z.array(signedIn) }),
  async handle({ caller, store }) {
    const sessions = await listSessions(store, mayAdminister(caller) ? undefined : caller.sub)
    return ok({ sessions: sessions.map((each) => toSignedIn(each, caller.session)) })
  },
})

const revoke = apiRoute({
  method: 'DELETE',
  path: '/v1/sessions/:id',
  summary: 'Ends a session of the caller; an admin ends any of the tenant',
  answer: null,
  async handle({ caller, store, http }) {
    const id = http.param('id')
    const session = /^[0-9a-f]{64}$/.test(id) ? await readSession(store, id) : undefined
    if (!session || (session.sub !== caller.sub && !mayAdminister(caller))) return NOT_FOUND
    await store.writeRecords([sessionEnd(id)])
    return ok(null)
  },
})

/** The routes that sign people in and out. */
export const signInRoutes: readonly AnyRoute[] = [start, end, list, revoke]
