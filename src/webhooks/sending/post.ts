import { request as httpRequest, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { messageOf } from '../../protocol/errors/error-base.ts'
import type { WebhookSettings } from '../options.ts'
import { addressProblem, hostOf } from '../targets/target-url.ts'

/** What came of one attempt. `error` never contains what the target answered. */
export type Posted = { ok: true } | { ok: false; error: string }

/** A message to a target. */
export interface Post {
  url: string
  body: string
  headers: Readonly<Record<string, string>>
  /** Ends the attempt. */
  signal: AbortSignal
}

/** How much of an answer is read before the connection is closed. */
const MOST_ANSWER_BYTES = 1024

/**
 * Posts a message. The name of the host is resolved once, its addresses are checked, and the connection goes to one of those: nobody can change the
 * answer in between. Redirects are not followed. The whole attempt has one deadline, so a target that sends byte by byte gains nothing.
 */
export async function post(settings: WebhookSettings, { url: given, body, headers, signal }: Post): Promise<Posted> {
  const url = new URL(given)
  const host = hostOf(url)
  const problem = isIP(host) === 0 ? undefined : addressProblem(url, host, settings.networks)
  if (problem !== undefined) return { ok: false, error: problem }
  const deadline = AbortSignal.timeout(settings.timeoutMs)
  const options: RequestOptions = {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'holdpoint-webhooks/1',
      ...headers,
    },
    // A connection of its own: one that is kept could lead to an address that was checked long ago.
    agent: false,
    lookup: checkedLookup(url, settings),
    signal: AbortSignal.any([signal, deadline]),
  }
  try {
    return await exchange(url, options, body)
  } catch (error) {
    const late = deadline.aborted ? `no answer within ${settings.timeoutMs / 1000} seconds` : messageOf(error)
    return { ok: false, error: late }
  }
}

function exchange(url: URL, options: RequestOptions, body: string): Promise<Posted> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options, (response) => {
      const { statusCode = 0 } = response
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > MOST_ANSWER_BYTES) request.destroy()
      })
      // The outcome is known from the head. How the rest ends does not matter.
      response.on('error', () => undefined)
      if (statusCode >= 200 && statusCode < 300) resolve({ ok: true })
      else if (statusCode >= 300 && statusCode < 400)
        resolve({ ok: false, error: `HTTP ${statusCode}: redirects are not followed` })
      else resolve({ ok: false, error: `HTTP ${statusCode}` })
    })
    request.on('error', reject)
    request.end(body)
  })
}

/** Resolves a name, and fails unless every address may be connected to. */
function checkedLookup(url: URL, { lookup, networks }: WebhookSettings): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname).then(
      (addresses) => {
        const [first] = addresses
        const problem = addresses
          .map(({ address }) => addressProblem(url, address, networks))
          .find((each) => each !== undefined)
        if (!first || problem !== undefined) callback(new Error(problem ?? `${hostname} has no address`), '', 0)
        else if (options.all) callback(null, [...addresses])
        else callback(null, first.address, first.family)
      },
      (error: unknown) => callback(error as Error, '', 0),
    )
  }
}
