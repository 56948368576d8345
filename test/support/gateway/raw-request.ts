import { type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** What a server said. */
export interface RawAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** Sends a request with headers and paths that `fetch` does not let through, such as `Host` and `/../`. */
export function rawRequest(
  url: string,
  options: { path?: string; method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<RawAnswer> {
  const { hostname, port, pathname } = new URL(url)
  const { path = pathname, method = 'GET', headers = {}, body } = options
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname: hostname.replace(/^\[|\]$/g, ''), port, path, method, headers, timeout: 10_000 },
      (response) => {
        text(response).then(
          (read) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: read }),
          reject,
        )
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}
