import { InputInvalid } from '../../protocol/errors/errors.ts'
import type { HttpRequest } from '../http/call.ts'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
const MOST_KNOWN = 100
const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/
const PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/**
 * The origins under which browsers reach this gateway. A request whose `Host` is none of them is refused: a page whose name was made to resolve to this
 * machine (DNS rebinding) sends its own name there. Without configured origins they are this machine's names and the address that `serve` listens on,
 * at any port.
 */
export class OwnOrigins {
  readonly #configured: readonly URL[]
  readonly #names: Set<string>
  /** By protocol and host: hosts are few, and looking one up parses it. `null`: not one of ours. */
  readonly #known = new Map<string, string | null>()
  /** The host of plain HTTP that was looked up last: clients of a gateway name one host, or few. */
  #last: { readonly host: string; readonly origin: string | undefined } | undefined

  constructor(origins: readonly string[]) {
    this.#configured = origins.map(toOrigin)
    this.#names = new Set(origins.length === 0 ? LOOPBACK : [])
  }

  /** The server listens on this address. It counts only if no origins are configured. */
  listensOn(host: string): void {
    if (this.#configured.length === 0) this.#names.add((host.includes(':') ? `[${host}]` : host).toLowerCase())
    this.#known.clear()
    this.#last = undefined
  }

  /** The origin that a request was sent to, such as `http://localhost:4747`. `undefined`: its `Host` is not one of ours. */
  of(request: Pick<HttpRequest, 'headers' | 'url' | 'plainHost'>): string | undefined {
    const { plainHost } = request
    if (plainHost !== undefined) {
      if (this.#last?.host !== plainHost) this.#last = { host: plainHost, origin: this.ofHost(plainHost) }
      return this.#last.origin
    }
    const { headers, url } = request
    return this.ofHost(headers.get('host') ?? new URL(url).host, url.startsWith('https:') ? 'https:' : 'http:')
  }

  /** The same by the value of `Host`. */
  ofHost(host: string, protocol = 'http:'): string | undefined {
    const key = `${protocol}${host}`
    const known = this.#known.get(key)
    if (known !== undefined) return known ?? undefined
    const found = this.#find(host, protocol)
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    this.#known.set(key, found ?? null)
    return found
  }

  #find(host: string, protocol: string): string | undefined {
    if (!HOST.test(host)) return undefined
    const configured = this.#configured.find((each) => each.host === hostAt(each.protocol, host))
    if (configured) return configured.origin
    const given = `${protocol}//${host}`
    if (!URL.canParse(given)) return undefined
    const { hostname, origin } = new URL(given)
    return this.#names.has(hostname) ? origin : undefined
  }

  /** Whether an `Origin` header names the very origin that the request was sent to. */
  isOwn(origin: string, request: Pick<HttpRequest, 'headers' | 'url' | 'plainHost'>): boolean {
    const sentTo = this.of(request)
    if (sentTo === undefined) return false
    if (origin === sentTo) return true
    // The same host may be configured for http and https.
    return this.#configured.some((each) => each.origin === origin && each.host === new URL(sentTo).host)
  }
}

/** The port of an origin, also if it is the usual one. */
export function portOf(origin: string): string {
  const { port, protocol } = new URL(origin)
  return port || (PORTS[protocol] ?? '')
}

/** A host as an origin of this protocol writes it: in lower case, without the usual port. */
function hostAt(protocol: string, host: string): string | undefined {
  const url = `${protocol}//${host}`
  return URL.canParse(url) ? new URL(url).host : undefined
}

function toOrigin(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (!url || !(url.protocol in PORTS) || (given !== url.origin && given !== `${url.origin}/`))
    throw new InputInvalid('origins must be origins such as "https://inbox.example.com", without a path.')
  return url
}
