import type { HttpCall, HttpRequest } from '../http/call.ts'
import type { Refusal } from '../refusal.ts'
import type { OwnOrigins } from './own-origins.ts'

/** The header that only a script of this gateway's own page can send: a form cannot, and a script of another origin must ask first. */
const CSRF_HEADER = 'holdpoint-csrf'
const OWN_SITES = ['same-origin', 'none']

/** Why a call with cookies is refused: it does not come from a page of this gateway. */
export function forgeryOf(origins: OwnOrigins, call: HttpCall): Refusal | undefined {
  const foreign = foreignPage(origins, call)
  if (foreign || isRead(call.request)) return foreign
  if (call.header('origin') === undefined)
    return forged('A write with a cookie must name its Origin. Programs send Authorization instead of a cookie.')
  return unmarked(call)
}

/** The same for a call that signs in. Programs have no origin. */
export function signInForgeryOf(origins: OwnOrigins, call: HttpCall): Refusal | undefined {
  return foreignPage(origins, call) ?? unmarked(call)
}

function foreignPage(origins: OwnOrigins, call: HttpCall): Refusal | undefined {
  const origin = call.header('origin')
  const site = call.header('sec-fetch-site')
  const isForeign =
    (origin !== undefined && !origins.isOwn(origin, call.request)) || (site !== undefined && !OWN_SITES.includes(site))
  return isForeign ? forged('Pages of other origins may not use the cookie of this one.') : undefined
}

function unmarked(call: HttpCall): Refusal | undefined {
  if (call.header(CSRF_HEADER) === '1') return undefined
  return forged(`A write with a cookie needs the header "${CSRF_HEADER}: 1".`)
}

function isRead({ method }: Pick<HttpRequest, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD'
}

function forged(detail: string): Refusal {
  return { status: 403, code: 'forged', detail }
}
