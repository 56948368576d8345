import { mayAdminister } from '../../core/access.ts'
import { me, sessionPage, sessionQuery, signIn } from '../../protocol/api/people.ts'
import { type AnyRoute, apiRoute, type OpenRoute } from '../v1/api-route.ts'
import { cursorsOf } from '../v1/cursors.ts'
import { NOT_FOUND, ok } from '../v1/refusals.ts'
import { setCookie } from './cookie.ts'
import { isSessionId, listSessions, readSession, sessionEnd } from './session-records.ts'
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
  summary: 'The sessions of the caller, in pages; an admin sees those of the tenant',
  query: sessionQuery,
  answer: sessionPage,
  async handle(call) {
    const { caller, store } = call
    const { person = mayAdminister(caller) ? undefined : caller.sub, limit, cursor } = call.query
    if (person !== undefined && person !== caller.sub && !mayAdminister(caller)) return ok({ sessions: [] })
    const cursors = await cursorsOf(call, 'sessions')
    const start = cursors.open(cursor)
    if (!start.ok) return start
    const of = person === undefined ? {} : { person }
    const page = await listSessions(store, { ...of, limit, ...start.value })
    const sessions = page.sessions.map((each) => toSignedIn(each, caller.session))
    return ok({ sessions, ...cursors.seal(page.next) })
  },
})

const revoke = apiRoute({
  method: 'DELETE',
  path: '/v1/sessions/:id',
  summary: 'Ends a session of the caller; an admin ends any of the tenant',
  answer: null,
  async handle({ caller, store, http }) {
    const id = http.param('id')
    const session = isSessionId(id) ? await readSession(store, id) : undefined
    if (!session || (session.sub !== caller.sub && !mayAdminister(caller))) return NOT_FOUND
    await store.writeRecords([sessionEnd(id)])
    return ok(null)
  },
})

/** The routes that sign people in and out. */
export const signInRoutes: readonly AnyRoute[] = [start, end, list, revoke]
