import type { Caller } from '../auth/auth.ts'
import { authenticate } from '../auth/authenticate.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import type { HttpCall } from '../http/call.ts'
import type { Refusal } from '../refusal.ts'
import { sessionOf, setCookie } from './cookie.ts'
import { forgeryOf } from './forgery.ts'
import { callerOf, readSession, sessionIdOf } from './session-records.ts'

const SIGNED_OUT = 'You are signed out: your sign-in has ended or was revoked. Sign in again.'

/**
 * Who calls: by `Authorization`, which `auth` checks, or else by the cookie of a session. A browser adds cookies by itself, so a call with cookies must
 * come from a page of this gateway. A call with `Authorization` ignores them.
 */
export function identify(parts: GatewayParts, call: HttpCall): Promise<Caller | Refusal> {
  if (call.header('authorization') !== undefined) return authenticate(parts, call, 'api')
  const cookies = call.header('cookie')
  return cookies === undefined ? authenticate(parts, call, 'api') : withCookies(parts, call, cookies)
}

async function withCookies(parts: GatewayParts, call: HttpCall, cookies: string): Promise<Caller | Refusal> {
  const forged = forgeryOf(parts.origins, call)
  if (forged) return forged
  const origin = parts.origins.of(call.request)
  const cookie = origin === undefined ? undefined : sessionOf(cookies, origin)
  // Other cookies are the business of `auth`.
  if (origin === undefined || !cookie) return authenticate(parts, call, 'api')
  const records = parts.records(cookie.tenant)
  const session = records && (await readSession(records, sessionIdOf(cookie.token)))
  if (session) return callerOf(cookie.tenant, session)
  const headers = { 'set-cookie': setCookie({ origin, basePath: parts.settings.basePath }) }
  return { status: 401, code: 'signed_out', detail: SIGNED_OUT, headers }
}
