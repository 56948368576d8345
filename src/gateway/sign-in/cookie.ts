import { portOf } from './own-origins.ts'

/** What a cookie names: a tenant, and the token of a session in it. */
export interface SessionCookie {
  readonly tenant: string
  readonly token: string
}

/** A secret; that of a session comes after the key of its person. */
const TOKEN = /^(?:[0-9a-f]{32}-)?[A-Za-z0-9_-]{43}$/
const BASE64URL = /^[A-Za-z0-9_-]{1,300}$/

/** The name has the port in it: browsers share cookies between the ports of a host. */
export function cookieName(origin: string): string {
  return `holdpoint_${portOf(origin)}`
}

/** Writes a tenant and a token as one string: the value of a cookie, or of a one-time code in a link. */
export function pairText({ tenant, token }: SessionCookie): string {
  return `${Buffer.from(tenant).toString('base64url')}.${token}`
}

/** Reads what `pairText` wrote. `undefined`: something else. */
export function parsePair(text: string): SessionCookie | undefined {
  const [tenant = '', token = '', ...more] = text.split('.')
  if (more.length > 0 || !TOKEN.test(token) || !BASE64URL.test(tenant)) return undefined
  return { tenant: Buffer.from(tenant, 'base64url').toString(), token }
}

/** The session that a `Cookie` header names for an origin. Of several cookies with the name, none counts: another page may have set one. */
export function sessionOf(header: string | undefined, origin: string): SessionCookie | undefined {
  const name = `${cookieName(origin)}=`
  const found = (header ?? '').split(';').flatMap((each) => {
    const text = each.trim()
    return text.startsWith(name) ? [text.slice(name.length)] : []
  })
  return found.length === 1 ? parsePair(found[0] ?? '') : undefined
}

/** The `Set-Cookie` header that stores a session, or without one removes it. */
export function setCookie(
  { origin, basePath }: { origin: string; basePath: string },
  session?: { cookie: SessionCookie; seconds: number },
): string {
  const value = session ? pairText(session.cookie) : ''
  return [
    `${cookieName(origin)}=${value}`,
    `Path=${basePath || '/'}`,
    `Max-Age=${session ? session.seconds : 0}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(origin.startsWith('https:') ? ['Secure'] : []),
  ].join('; ')
}
