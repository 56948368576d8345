import type { GatewayParts } from '../gateway-parts.ts'
import { type Reply, toReply } from '../http/reply.ts'
import { foreignHost, isOwnHost } from '../sign-in/foreign-host.ts'
import { type Asset, loadAssets } from './assets.ts'
import { isNavigation, PAGE_HEADERS, plainPage } from './plain-page.ts'

const NOT_BUILT = {
  status: 503,
  title: 'The inbox was not built',
  text: 'This copy of holdpoint has no page in it. In a clone of the repository run "npm run build" and open this address again. The HTTP API works.',
}
const NOT_FOUND = { status: 404, title: 'Nothing here', text: 'There is nothing at this address.' }
const YEAR = 'public, max-age=31536000, immutable'

/** Answers every path that is no endpoint: with a file of the page if the gateway serves it, else with 404. */
export function pageOf(parts: GatewayParts): (request: Request) => Reply {
  const { basePath, inbox } = parts.settings
  let loaded: ReadonlyMap<string, Asset> | undefined
  return (request) => {
    const call = { request, header: (name: string) => request.headers.get(name) ?? undefined }
    if (!isOwnHost(parts, call)) return foreignHost(parts, call)
    const path = new URL(request.url).pathname
    if (!inbox || !isRead(request)) return nothing(request)
    // Addresses in the page are relative, so its own must end with a slash.
    if (path === basePath && basePath !== '')
      return { status: 308, body: null, headers: { ...PAGE_HEADERS, location: `${basePath}/` } }
    if (!path.startsWith(`${basePath}/`)) return nothing(request)
    const name = path.slice(basePath.length + 1) || 'index.html'
    loaded ??= loadAssets()
    if (!loaded) return name === 'index.html' ? plainPage(NOT_BUILT) : nothing(request)
    const asset = loaded.get(name)
    return asset ? send(asset, request) : nothing(request)
  }
}

function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD'
}

function nothing(request: Request): Reply {
  return isNavigation(request)
    ? plainPage(NOT_FOUND)
    : toReply({ status: 404, detail: 'There is nothing at this path.' })
}

function send({ type, bytes, gzipped, etag, immutable }: Asset, { method, headers: asked }: Request): Reply {
  const zip = gzipped !== undefined && acceptsGzip(asked.get('accept-encoding') ?? '')
  const headers = {
    ...PAGE_HEADERS,
    'content-type': type,
    'cache-control': immutable ? YEAR : 'no-cache',
    etag,
    vary: 'accept-encoding',
  }
  if (matches(asked.get('if-none-match'), etag)) return { status: 304, body: null, headers }
  const body = zip ? gzipped : bytes
  const encoding: Record<string, string> = zip ? { 'content-encoding': 'gzip' } : {}
  const all = { ...headers, ...encoding, 'content-length': String(body.length) }
  return { status: 200, body: method === 'HEAD' ? null : body, headers: all }
}

function acceptsGzip(encodings: string): boolean {
  return encodings.split(',').some((each) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(each))
}

function matches(given: string | null, etag: string): boolean {
  if (given === null) return false
  return given.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === etag)
}
