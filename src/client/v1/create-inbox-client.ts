import type { BackOffOptions } from '../back-off.ts'
import { ClientError, checkOptions } from '../client-error.ts'
import type { TokenSource } from '../token.ts'
import type { ApiError } from './api-error.ts'
import { Http } from './http.ts'
import type { CallOptions, InboxClient, WebhookCalls, WriteOptions } from './inbox-client.ts'
import { jsonLines } from './json-lines.ts'
import { LiveReader } from './live.ts'

/** What an inbox client is made from. */
export interface InboxClientOptions {
  /** Where the gateway is, with its path if it is mounted below one. Default: the server that the page came from. */
  url?: string
  /** The bearer token. A function is asked before each call, and once more when the gateway says 401. Default: the cookie of a sign-in. */
  token?: TokenSource
  /** Default: the platform's own. */
  fetch?: typeof globalThis.fetch
  backoff?: BackOffOptions
  /** How long a response may take. Default 15 000. */
  timeoutMs?: number
  /** How often a call is tried that may be repeated. Default 4. */
  tries?: number
  /** A stream of events without data or heartbeat for this long counts as broken. Default 45 000. */
  silenceMs?: number
  /** The W3C `traceparent` of the span that is active at a call, sent with it. For OpenTelemetry without an instrumented `fetch`. */
  traceparent?: () => string | undefined
  /** The gateway does not accept the credential any more (401): the sign-in ended or was revoked. */
  onSignedOut?: (error: ApiError) => void
}

const KNOWN = ['url', 'token', 'fetch', 'backoff', 'timeoutMs', 'tries', 'silenceMs', 'onSignedOut', 'traceparent']

/** A person's seat at a gateway, typed. Needs nothing but `fetch`: for browsers and Node. */
export function createInboxClient(options: InboxClientOptions = {}): InboxClient {
  checkOptions('createInboxClient()', options, KNOWN)
  checkOptions('backoff', options.backoff ?? {}, ['initialMs', 'maxMs'])
  const { url = '', token, fetch, backoff = {}, timeoutMs = 15_000, tries = 4, silenceMs = 45_000 } = options
  if (url === '' && !fetch && !('location' in globalThis))
    throw new ClientError('invalid_options', 'createInboxClient() needs a url outside of a page.')
  for (const [name, value] of Object.entries({ timeoutMs, tries, silenceMs })) {
    if (typeof value !== 'number' || !(value >= 1 && value < 2 ** 31))
      throw new ClientError('invalid_options', `${name} must be a number, at least 1.`)
  }
  const { onSignedOut, traceparent } = options
  if (traceparent !== undefined && typeof traceparent !== 'function')
    throw new ClientError('invalid_options', 'traceparent must be a function that returns the header, or undefined.')
  const http = new Http({ url, token, fetch, backoff, timeoutMs, tries, onSignedOut, traceparent })
  const { get, write, remove } = callsOf(http)
  return {
    me: (how) => get(['me'], undefined, how),
    requests: (query, how) => get(['requests'], query, how),
    counts: (how) => get(['counts'], undefined, how),
    request: (id, how) => get(['requests', id], undefined, how),
    decide: (id, body, how) => write(['requests', id, 'decide'], body, how),
    answer: (id, body, how) => write(['requests', id, 'answer'], body, how),
    cancel: (id, body, how) => write(['requests', id, 'cancel'], body, how),
    withdraw: (id, body, how) => write(['requests', id, 'withdraw'], body, how),
    preview: (id, body, how) => write(['requests', id, 'preview'], body, how),
    bulk: (body, how) => write(['requests', 'decide'], body, how),
    comment: (id, body, how) => write(['requests', id, 'comments'], body, how),
    assign: (id, body, how) => write(['requests', id, 'assign'], body, how),
    claim: (id, body, how) => write(['requests', id, 'claim'], body ?? {}, how),
    threads: (query, how) => get(['threads'], query, how),
    thread: (id, { signal, ...query } = {}) => get(['threads', id], query, signal && { signal }),
    retry: (id, body, how) => write(['threads', id, 'retry'], body ?? {}, how),
    abort: (id, body, how) => write(['threads', id, 'abort'], body, how),
    journal: (id, query, how) => get(['threads', id, 'journal'], query, how),
    grants: (query, how) => get(['grants'], query, how),
    revoke: (id, body, how) => write(['grants', id, 'revoke'], body ?? {}, how),
    audit: (query, how) => jsonLines(http, { path: ['audit'], query, signal: how?.signal }),
    verify: (query, how) => get(['audit', 'verify'], query, how),
    figures: (query, how) => get(['figures'], query, how),
    signIn: (body, how) =>
      http.json({ path: ['session'], method: 'POST', body, once: true, signsIn: true, signal: how?.signal }),
    signOut: (how) => remove(['session'], how),
    sessions: (query, how) => get(['sessions'], query, how),
    endSession: (id, how) => remove(['sessions', id], how),
    webhooks: webhookCalls(callsOf(http)),
    events(how) {
      checkOptions('events()', how, ['onEvent', 'onState', 'signal', 'after'])
      return new LiveReader(http, { ...how, silenceMs })
    },
  }
}

interface Calls {
  get<T>(path: readonly string[], query: object | undefined, how: CallOptions | undefined): Promise<T>
  write<T>(path: readonly string[], body: object, how: WriteOptions | undefined): Promise<T>
  remove(path: readonly string[], how: WriteOptions | undefined): Promise<void>
}

function callsOf(http: Http): Calls {
  return {
    get: (path, query, how) => http.json({ path, query, signal: how?.signal }),
    write: (path, body, how) =>
      http.json({
        path,
        method: 'POST',
        body,
        headers: { 'idempotency-key': how?.idempotencyKey ?? freshKey() },
        signal: how?.signal,
      }),
    remove: async (path, how) => {
      await http.json({
        path,
        method: 'DELETE',
        headers: { 'idempotency-key': how?.idempotencyKey ?? freshKey() },
        signal: how?.signal,
      })
    },
  }
}

function webhookCalls({ get, write, remove }: Calls): WebhookCalls {
  return {
    list: (how) => get(['webhooks'], undefined, how),
    add: (body, how) => write(['webhooks'], body, how),
    change: (id, body, how) => write(['webhooks', id], body, how),
    remove: (id, how) => remove(['webhooks', id], how),
    rotate: (id, how) => write(['webhooks', id, 'rotate'], {}, how),
    test: (id, how) => write(['webhooks', id, 'test'], {}, how),
    deliveries: (id, query, how) => get(['webhooks', id, 'deliveries'], query, how),
    resend: (id, how) => write(['deliveries', id, 'resend'], {}, how),
  }
}

/** Not `randomUUID`, which browsers have only on https. */
function freshKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
