import type { RecordChange, RecordStore } from '../../ports/records.ts'
import { type SignedIn, signIn } from '../../protocol/api/people.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { AGENT_ROLE, NOT_FOR_AGENTS } from '../auth/auth.ts'
import { authenticate } from '../auth/authenticate.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { check, readJson } from '../http/body.ts'
import type { HttpCall, HttpRequest } from '../http/call.ts'
import { jsonText, type Reply } from '../http/reply.ts'
import { type Result, refuse } from '../refusal.ts'
import { createCode, readCode, signInLink } from './codes.ts'
import { sessionOf, setCookie } from './cookie.ts'
import { signInForgeryOf } from './forgery.ts'
import { meOf } from './me.ts'
import { callerOf, newSession, type Person, type Session, sessionEnd, sessionIdOf } from './session-records.ts'

/** The same for a code that does not exist, was used, or has expired, so that it reveals nothing. */
const BAD_CODE = refuse(401, 'This code does not exist, was used already, or has expired. Ask for a new one.')

/** Who signs in, and the change that uses up what proves it. */
interface Proven {
  readonly person: Person
  readonly spend?: RecordChange
}

/** Exchanges a one-time code, or a token that `auth` accepts, for a session. The session that the browser had before ends. */
export async function signInByHttp(parts: GatewayParts, http: HttpCall): Promise<Result<Reply>> {
  const forged = signInForgeryOf(parts.origins, http)
  if (forged) return { ok: false, refusal: forged }
  const allowed = parts.signIns.take(addressOf(parts, http))
  if (!allowed.ok) return allowed
  const body = await readJson(parts, http)
  if (!body.ok) return body
  const given = check(signIn, body.value)
  if (!given.ok) return given
  const proven = 'code' in given.value ? await byCode(parts, given.value.code) : await byToken(parts, given.value.token)
  if (!proven.ok) return proven
  const opened = await openSession(parts, http.request, proven.value)
  if (!opened) return BAD_CODE
  const reply = jsonText(JSON.stringify(await meOf(parts, callerOf(proven.value.person.tenant, opened.session))))
  return { ok: true, value: { ...reply, headers: { ...reply.headers, 'set-cookie': opened.setCookie } } }
}

/**
 * Stores a session for a person and replaces the one that the request's cookie names. `undefined`: the code was used in the meantime. The old
 * session ends, so a cookie that somebody else knows or has planted is of no use.
 */
async function openSession(
  parts: GatewayParts,
  request: Pick<HttpRequest, 'headers' | 'url'>,
  { person, spend }: Proven,
): Promise<{ session: Session; setCookie: string } | undefined> {
  const origin = parts.origins.of(request)
  const records = parts.records(person.tenant)
  if (origin === undefined || !records) return undefined
  const { cookie, session, change } = newSession(person)
  const old = sessionOf(request.headers.get('cookie') ?? undefined, origin)
  const end = old && sessionEnd(sessionIdOf(old.token))
  const own = end && old.tenant === person.tenant ? [end] : []
  const written = await records.writeRecords([...(spend ? [spend] : []), ...own, change])
  if (!written.ok) return undefined
  if (end && own.length === 0) await parts.records(old.tenant)?.writeRecords([end])
  const seconds = Math.max(1, Math.floor((session.endsAt - Date.now()) / 1000))
  return { session, setCookie: setCookie({ origin, basePath: parts.settings.basePath }, { cookie, seconds }) }
}

/** Signs in whom the application has identified. Returns the `Set-Cookie` header. */
export async function signInAs(parts: GatewayParts, request: Request, person: Person): Promise<string> {
  recordsFor(parts, person, 'signIn')
  const opened = await openSession(parts, request, { person })
  if (!opened) throw new InputInvalid("signIn needs a request to one of the gateway's own origins.")
  return opened.setCookie
}

/** An address that signs a person in, once. */
export async function linkFor(parts: GatewayParts, url: string, person: Person): Promise<string> {
  const records = recordsFor(parts, person, 'signInLink')
  if (!URL.canParse(url))
    throw new InputInvalid('signInLink needs the address of the inbox, such as the url of serve().')
  return signInLink(url, await createCode(records, person))
}

/** Where sessions and codes of a person are kept. */
function recordsFor(parts: GatewayParts, { tenant, roles }: Person, who: string): RecordStore {
  if (!parts.store) throw new InputInvalid(`${who} needs a gateway with a store.`)
  const records = parts.records(tenant)
  if (!records) throw new InputInvalid(`${who} needs the tenant of the person.`)
  if (roles.includes(AGENT_ROLE)) throw new InputInvalid(NOT_FOR_AGENTS)
  return records
}

/** A session as its list shows it. */
export function toSignedIn({ id, sub, roles, createdAt, endsAt }: Session, current: string | undefined): SignedIn {
  const time = (ms: number) => new Date(ms).toISOString()
  return { id, person: sub, roles, createdAt: time(createdAt), expiresAt: time(endsAt), current: id === current }
}

async function byCode(parts: GatewayParts, code: string): Promise<Result<Proven>> {
  const found = await readCode(parts.records, code)
  return found ? { ok: true, value: found } : BAD_CODE
}

async function byToken(parts: GatewayParts, token: string): Promise<Result<Proven>> {
  const authorization = `Bearer ${token}`
  const caller = await authenticate(parts, {
    header: (name) => (name.toLowerCase() === 'authorization' ? authorization : undefined),
  })
  if ('status' in caller) return { ok: false, refusal: { ...caller, headers: {} } }
  if (caller.roles.includes(AGENT_ROLE)) return refuse(403, NOT_FOR_AGENTS)
  return { ok: true, value: { person: caller } }
}

/** Whose attempts are counted together. */
function addressOf({ settings: { addressHeader } }: GatewayParts, { header, address = '' }: HttpCall): string {
  const passedOn = addressHeader === undefined ? undefined : header(addressHeader)
  return passedOn?.split(',').at(-1)?.trim() || address
}
