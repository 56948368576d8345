import type { Cluster, Redis } from 'ioredis'
import type { ReplyRead, StreamRead, Streams } from '../../ports/streams.ts'
import { HilContentError, HilMsgStreamMissingError, HilStreamExists, InputInvalid } from '../../protocol/errors.ts'
import { requireKnown } from '../../protocol/known-options.ts'
import { checkName, expiryMs, readOptions, replyOptions } from '../shared/check.ts'
import { createWatches, type Watches } from '../shared/watches.ts'
import { checkMessage, checkReply } from '../shared/wire.ts'
import { type Bell, createBell } from './bell.ts'
import { type Connection, connect } from './connection.ts'
import { decodeMessage, decodeReply, type RawEntry } from './decode.ts'
import { createLooks } from './look.ts'
import { type Place, placeOf } from './place.ts'
import * as scripts from './scripts.ts'
import { createTokens, type Tokens } from './tokens.ts'
import { type Nothing, waitFor } from './wait.ts'

/** How streams on Redis are made: from an address, or from a client of yours, which is never closed. */
export interface RedisStreamsOptions {
  /** Such as `redis://localhost:6379`. */
  url?: string
  /** A client of ioredis, also of a Cluster. For listening it is duplicated. */
  client?: Redis | Cluster
  /** What all keys and channels begin with. Default `holdpoint:`. */
  keyPrefix?: string
  /** How long a call may take before it fails. Default 5000. */
  timeoutMs?: number
}

/** What all views of the same streams share. */
interface Backing {
  readonly prefix: string
  readonly connection: Connection
  readonly waiting: { readonly watches: Watches; readonly bell: Bell; readonly netMs: number }
  readonly tokens: Tokens
}

/**
 * Message streams on Redis 6.2 or newer, for applications and gateways in many processes. However many wait, a process has two connections: one
 * for commands and one that hears of what happened. Views by tenant share them, and shutting one down shuts all down.
 */
export function redisStreams(options: RedisStreamsOptions): Streams {
  const { prefix, ...parts } = checkOptions(options)
  const connection = connect(parts)
  const watches = createWatches()
  const bell = createBell({
    connect: () => connection.listener(),
    isWanted: (channel) => watches.count(channel) > 0,
    // Without words, everybody on the channel is to look.
    onRing: (channel, words = 'end') => watches.ring(channel, words as Parameters<Watches['ring']>[1]),
  })
  const waiting = { watches, bell, netMs: connection.netMs }
  return bind({ prefix, connection, waiting, tokens: createTokens() }, 'default')
}

function checkOptions(options: RedisStreamsOptions) {
  requireKnown('redisStreams', options, ['url', 'client', 'keyPrefix', 'timeoutMs'])
  const { url, client, keyPrefix: prefix = 'holdpoint:', timeoutMs = 5000 } = options
  if (/[{}]/.test(prefix)) throw new InputInvalid('keyPrefix must not have braces: they decide on the slot of a key.')
  if (!(timeoutMs > 0)) throw new InputInvalid('timeoutMs must be a number above 0.')
  if (url !== undefined && client === undefined) return { prefix, timeoutMs, url }
  if (client !== undefined && url === undefined) return { prefix, timeoutMs, client }
  throw new InputInvalid('redisStreams needs either a url or a client.')
}

function bind(backing: Backing, tenantId: string): Streams {
  const { connection, tokens } = backing

  function placeFor(session: string): Place {
    checkName('session', session)
    return placeOf(backing.prefix, tenantId, session)
  }

  /** Does something that has an outcome to be learned; if it fails, the same thing said again is the same attempt. */
  async function attempt<T>(what: readonly string[], work: (token: string) => Promise<T>): Promise<T> {
    const name = JSON.stringify([tenantId, ...what])
    const token = tokens.take(name)
    try {
      return await work(token)
    } catch (error) {
      tokens.keep(name, token)
      throw error
    }
  }

  return {
    tenantId,
    ...createLooks(connection, placeFor),
    async open(session, { owner, expireSeconds }) {
      const { keys } = placeFor(session)
      checkName('owner', owner)
      const ms = expiryMs(expireSeconds)
      const [said] = await attempt(['open', session, owner], (token) =>
        connection.run(scripts.OPEN, keys, [owner, ms, token]),
      )
      if (said !== 'ok') throw new HilStreamExists(session)
    },
    async extend(session, { expireSeconds }) {
      const { keys } = placeFor(session)
      const [said] = await connection.run(scripts.EXTEND, keys, [expiryMs(expireSeconds)])
      return said === 'ok'
    },
    async close(session) {
      const { keys, channel } = placeFor(session)
      const [said] = await connection.run(scripts.CLOSE, keys, [channel])
      return said === 'ok'
    },
    async send(session, message) {
      const { keys, channel } = placeFor(session)
      checkMessage(message)
      const { msg_id, msg_type, content } = message
      checkName('message id', msg_id)
      const args = [channel, msg_id, msg_type, JSON.stringify(content)]
      const [said, position] = await connection.run(scripts.SEND, keys, args)
      if (said === 'missing') throw new HilMsgStreamMissingError(session)
      if (said === 'used') throw new HilContentError(`the message id ${msg_id} was used before; make a new one.`)
      return String(position)
    },
    async read(session, options) {
      const { keys, channel } = placeFor(session)
      const { after, limit, waitMs, signal } = readOptions(options)
      const look = async (): Promise<StreamRead | Nothing> => {
        const [said, leftMs, raw, owner] = await connection.run(scripts.READ, keys, [start(after), limit])
        if (said === 'missing') return { kind: 'missing' }
        const messages = (raw as RawEntry[]).map(decodeMessage)
        if (messages.length === 0) return { kind: 'nothing', leftMs: Number(leftMs) }
        return { kind: 'messages', owner: String(owner), messages }
      }
      return waitFor({ channel, ring: 'message', waitMs, signal, look }, backing.waiting)
    },
    async answer(session, messageId, reply) {
      const { keys, channel } = placeFor(session)
      checkReply(reply)
      const text = JSON.stringify(reply)
      const [said] = await attempt(['answer', session, messageId, text], (token) =>
        connection.run(scripts.ANSWER, keys, [channel, messageId, text, token]),
      )
      return said === 'ok' ? 'answered' : said === 'missing' ? 'missing' : 'unknown'
    },
    async takeReply(session, messageId, options) {
      const { keys, channel } = placeFor(session)
      const name = JSON.stringify([tenantId, 'take', session, messageId])
      const taker = tokens.take(name)
      let unsure = false
      const look = async (): Promise<ReplyRead | Nothing> => {
        unsure = true
        const [said, told] = await connection.run(scripts.TAKE, keys, [messageId, taker])
        unsure = false
        if (said === 'missing') return { kind: 'missing' }
        if (said === 'empty') return { kind: 'nothing', leftMs: Number(told) }
        const reply = decodeReply(told as string[] | null)
        // It has arrived, and need not be kept; if this fails, it goes with the session.
        connection.run(scripts.TOOK, keys, [messageId, taker]).catch(() => undefined)
        return { kind: 'reply', reply }
      }
      try {
        const wait = { channel, ring: `reply:${messageId}` as const, ...replyOptions(options), look }
        return await waitFor(wait, backing.waiting)
      } finally {
        if (unsure) tokens.keep(name, taker)
      }
    },
    async retract(session, messageId) {
      const { keys } = placeFor(session)
      const [said] = await attempt(['retract', session, messageId], (token) =>
        connection.run(scripts.RETRACT, keys, [messageId, token]),
      )
      return said === 'ok'
    },
    tenant(id) {
      checkName('tenant', id)
      return bind(backing, id)
    },
    ping: () => connection.ping(),
    async shutdown() {
      backing.waiting.watches.end()
      backing.waiting.bell.close()
      await connection.close()
    },
  }
}

/** What a range of a stream begins with, without the position itself. The last of all positions would have nothing after it. */
function start(after: string): string {
  const [first = '0', second = '0'] = after.split('-')
  return `(${first}-${second === LAST ? BEFORE_LAST : second}`
}

const LAST = '18446744073709551615'
const BEFORE_LAST = '18446744073709551614'
