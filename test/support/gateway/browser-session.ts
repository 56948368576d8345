import { createCode } from '../../../src/gateway/sign-in/codes.ts'
import type { Store } from '../../../src/index.ts'

/** What a page of a gateway sends: its origin, the header against forged writes, and the cookie that the browser keeps. */
export class Browser {
  cookie: string | undefined
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  get origin(): string {
    return new URL(this.#url).origin
  }

  /** A call of the page's script. Headers that are given replace the usual ones; `undefined` leaves one out. */
  async call(
    method: string,
    path: string,
    options: { body?: unknown; headers?: Record<string, string | undefined> } = {},
  ): Promise<Response> {
    const { body, headers = {} } = options
    const all: Record<string, string | undefined> = {
      origin: this.origin,
      'holdpoint-csrf': '1',
      'content-type': 'application/json',
      cookie: this.cookie,
      ...headers,
    }
    const sent = Object.entries(all).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as [string, string]],
    )
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: sent,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    })
    const set = response.headers.get('set-cookie')
    if (set !== null) this.cookie = /^[^=]+=;/.test(set) ? undefined : set.split(';')[0]
    return response
  }

  signIn(body: { code: string } | { token: string }): Promise<Response> {
    return this.call('POST', '/v1/session', { body })
  }
}

/** A browser in which somebody is signed in. */
export async function signedIn(
  url: string,
  store: Store,
  person: { sub?: string; roles?: string[]; groups?: string[]; tenant?: string } = {},
): Promise<Browser> {
  const { sub = 'ann', roles = ['reviewer'], groups = [], tenant = 'default' } = person
  const browser = new Browser(url)
  const code = await createCode(store.tenant(tenant), { sub, roles, groups, tenant })
  const response = await browser.signIn({ code })
  if (!response.ok) throw new Error(`signing in failed: ${response.status} ${await response.text()}`)
  return browser
}
