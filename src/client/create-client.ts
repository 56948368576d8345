import type { HilReply } from '../protocol/hil/hil.ts'
import { ClientError, checkOptions } from './client-error.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import type { Shared } from './feed/read-feed.ts'
import { type MessagesOptions, readMessages } from './feed/read-messages.ts'
import { Inbox } from './inbox.ts'
import type { ClientMessage } from './message.ts'
import { type RespondOptions, type RespondOutcome, respond } from './respond.ts'
import { type RemoteHandlers, ToolServer } from './serve-tools.ts'
import { Session } from './session.ts'

/** What a client is made from. */
export interface ClientOptions extends ConnectionOptions {
  /** `auto` (the default) uses server-sent events, and polls where these do not work. */
  transport?: 'auto' | 'sse' | 'poll'
  /** How long the gateway holds a poll. Default 30; 0: it returns at once. */
  pollTimeoutSeconds?: number
  /** The pause after an empty poll. Default: none after a long poll, 1000 after a short one. */
  pollIntervalMs?: number
  /** How long a response may take, besides the time that a poll is held. Default 15 000. */
  requestTimeoutMs?: number
  /** An event stream without data or heartbeat for this long counts as broken. Default 45 000. */
  silenceMs?: number
  /**
   * How many connections may be kept busy by waiting: readers beyond that ask once a second. Default 4 in browsers, which have six for one server over
   * HTTP/1.1; else no limit.
   */
  maxConnections?: number
}

/** A person's end of message streams. */
export interface Client {
  /**
   * The messages of a stream, in order, over any number of connections. Ends when the stream is gone, and quietly when the signal fires;
   * throws `ClientError` if the gateway refuses.
   */
  messages(sessionId: string, options?: MessagesOptions): AsyncGenerator<ClientMessage, void, void>
  /** Answers a question. Tried again when the connection breaks; throws `ClientError` if the reply is refused or cannot be delivered. */
  respond(sessionId: string, messageId: string, reply: HilReply, options?: RespondOptions): Promise<RespondOutcome>
  /** A stream for user interfaces: what is open, and a way to hear of changes. */
  session(sessionId: string, options?: MessagesOptions): Session
  /** All sessions of the person over one connection: what is open in any of them, and a way to hear of changes. */
  inbox(options?: { signal?: AbortSignal }): Inbox
  /** Does the work of remote tools here, until the stream is gone or the signal fires. Tools that are not named are left to others. */
  serveTools(sessionId: string, handlers: RemoteHandlers, options?: MessagesOptions): Promise<void>
}

const KNOWN = [
  'url',
  'token',
  'fetch',
  'backoff',
  'transport',
  'pollTimeoutSeconds',
  'pollIntervalMs',
  'requestTimeoutMs',
  'silenceMs',
  'maxConnections',
]

function isBrowser(): boolean {
  return 'document' in globalThis || 'WorkerGlobalScope' in globalThis
}

/** Connects to a gateway. Needs nothing but `fetch`: for browsers, Node and whatever else has it. */
export function createClient(options: ClientOptions): Client {
  checkOptions('createClient()', options, KNOWN)
  checkOptions('backoff', options.backoff ?? {}, ['initialMs', 'maxMs'])
  const { transport = 'auto', pollTimeoutSeconds = 30, requestTimeoutMs = 15_000, silenceMs = 45_000 } = options
  const { pollIntervalMs = pollTimeoutSeconds === 0 ? 1000 : 0 } = options
  if (typeof options.url !== 'string') throw new ClientError('invalid_options', 'createClient() needs a url.')
  if (!['auto', 'sse', 'poll'].includes(transport))
    throw new ClientError('invalid_options', `transport must be 'auto', 'sse' or 'poll'.`)
  const { maxConnections = isBrowser() ? 4 : 2 ** 31 - 1 } = options
  const numbers = { pollTimeoutSeconds, pollIntervalMs, requestTimeoutMs, silenceMs, maxConnections }
  for (const [name, value] of Object.entries(numbers)) {
    if (typeof value !== 'number' || !(value >= 0 && value < 2 ** 31))
      throw new ClientError('invalid_options', `${name} must be a number, at least 0.`)
  }
  const connection = new Connection(options)
  const shared: Shared = { connection, options: { transport, ...numbers }, sse: 'untried', held: 0 }

  // Kept whole: the parameters of `respond` are public.
  const answer = (session: string, messageId: string, msg: HilReply, how: RespondOptions): Promise<RespondOutcome> => {
    checkOptions('respond()', how, ['tries', 'signal', 'comment', 'always', 'undoSeconds'])
    return respond(connection, { session, messageId, msg }, { ...how, timeoutMs: requestTimeoutMs })
  }
  const read = (what: string, how: MessagesOptions): MessagesOptions => {
    checkOptions(what, how, ['after', 'signal'])
    return how
  }

  return {
    messages: (id, how = {}) => readMessages(shared, id, read('messages()', how)),
    respond: (id, messageId, reply, how = {}) => answer(id, messageId, reply, how),
    session: (id, how = {}) =>
      new Session(shared, id, {
        ...read('session()', how),
        respond: (messageId, reply, given) => answer(id, messageId, reply, given),
      }),
    inbox(how = {}) {
      checkOptions('inbox()', how, ['signal'])
      return new Inbox(shared, { respond: answer, signal: how.signal })
    },
    async serveTools(id, handlers, how = {}) {
      const { signal, ...where } = read('serveTools()', how)
      const stop = new AbortController()
      const ends = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
      const tries = Number.POSITIVE_INFINITY
      const send = (messageId: string, reply: HilReply): Promise<RespondOutcome> =>
        answer(id, messageId, reply, { tries, signal: ends })
      const server = new ToolServer(handlers, send, () => stop.abort())
      try {
        for await (const message of readMessages(shared, id, { ...where, signal: ends })) server.take(message)
      } finally {
        server.end()
      }
    },
  }
}
