import type { Cluster, Redis } from 'ioredis'
import type { ReplyRead, StreamRead, Streams } from '../../ports/streams.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import { HilContentError, HilMsgStreamMissingError, InputInvalid } from '../../protocol/errors/errors.ts'
import type { HilMessage } from '../../protocol/hil/hil.ts'
import { parseTenantId } from '../../protocol/ids.ts'
import { checkCount, checkName, readOptions, replyOptions } from '../shared/check.ts'
import { sortable } from '../shared/position.ts'
import { createWatches, type Watches } from '../shared/watches.ts'
import { checkMessage, checkReply } from '../shared/wire.ts'
import { type Bell, createBell } from './bell.ts'
import { type Connection, connect } from './connection.ts'
import { decodeMessage, decodeReply, type RawEntry } from './decode.ts'
import { createLives } from './lives.ts'
import { createLooks } from './look.ts'
import { type Place, placeOf } from './place.ts'
import * as scripts from './scripts.ts'
import { createSessionLists } from './session-lists.ts'
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
  /** How many notifications a session keeps; the oldest go first. Default 1000. */
  maxNotifications?: number
}

/** What all views of the same streams share. */
interface Backing {
  readonly prefix: string
  readonly maxNotifications: number
  readonly connection: Connection
  readonly waiting: { readonly watches: Watches; readonly bell: Bell; readonly netMs: number }
  readonly tokens: Tokens
}

/**
 * Message streams on Redis 6.2 or newer, for applications and gateways in many processes. However many wait, a process has two connections: one
 * for commands and one that hears of what happened. Views by tenant share them, and shutting one down shuts all down.
 */
export function redisStreams(options: RedisStreamsOptions): Streams {
  const { prefix, maxNotifications, ...parts } = checkOptions(options)
  const connection = connect(parts)
  const watches = createWatches()
  const bell = createBell({
    connect: () => connection.listener(),
    isWanted: (channel) => watches.count(channel) > 0,
    // Without words, everybody on the channel is to look.
    onRing: (channel, words = 'end') => watches.ring(channel, words as Parameters<Watches['ring']>[1]),
  })
  const waiting = { watches, bell, netMs: connection.netMs }
  return bind({ prefix, maxNotifications, connection, waiting, tokens: createTokens() }, 'default')
}

function checkOptions(options: RedisStreamsOptions) {
  requireKnown('redisStreams', options, ['url', 'client', 'keyPrefix', 'timeoutMs', 'maxNotifications'])
  const { url, client, keyPrefix: prefix = 'holdpoint:', timeoutMs = 5000 } = options
  const maxNotifications = checkCount('maxNotifications', options.maxNotifications ?? 1000)
  const shared = { prefix, timeoutMs, maxNotifications }
  if (/[{}]/.test(prefix)) throw new InputInvalid('keyPrefix must not have braces: they decide on the slot of a key.')
  if (!(timeoutMs > 0)) throw new InputInvalid('timeoutMs must be a number above 0.')
  if (url !== undefined && client === undefined) return { ...shared, url }
  if (client !== undefined && url === undefined) return { ...shared, client }
  throw new InputInvalid('redisStreams needs either a url or a client.')
}

function bind(backing: Backing, tenantId: string): Streams {
  const { connection, tokens, maxNotifications } = backing
  const lists = createSessionLists(backing, tenantId, (session, reader) => looks.describe(session, { reader }))

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

  /** A notice as scripts take it. */
  function noticeArgs(notice: HilMessage | undefined): (string | number)[] {
    if (!notice) return ['', '', '', maxNotifications]
    checkMessage(notice)
    return [notice.msg_id, JSON.stringify(notice.content), metaOf(notice), maxNotifications]
  }

  const looks = createLooks(connection, placeFor)
  return {
    tenantId,
    ...looks,
    ...createLives({ connection, placeFor, attempt, lists }),
    async send(session, message) {
      const { keys, channel } = placeFor(session)
      checkMessage(message)
      const { msg_id, msg_type, content } = message
      checkName('message id', msg_id)
      const reviewers = message.meta?.reviewers ?? []
      const names = reviewers.length > 0 ? JSON.stringify(reviewers) : ''
      const args = [channel, msg_id, msg_type, JSON.stringify(content), metaOf(message), names, maxNotifications]
      const [said, position] = await connection.run(scripts.SEND, keys, args)
      if (said === 'missing') throw new HilMsgStreamMissingError(session)
      if (said === 'used') throw new HilContentError(`the message id ${msg_id} was used before; make a new one.`)
      if (names !== '' && msg_type === 'HIL_interrupt_request') await lists.addAll(reviewers, session)
      return String(position)
    },
    async read(session, options) {
      const { keys, channel } = placeFor(session)
      const { after, limit, waitMs, signal, owner: only = '' } = readOptions(options)
      const look = async (): Promise<StreamRead | Nothing> => {
        const [said, leftMs, raw, owner, dropped] = await connection.run(scripts.READ, keys, [
          start(after),
          limit,
          only,
        ])
        if (said === 'missing') return { kind: 'missing' }
        const messages = (raw as RawEntry[]).map(decodeMessage)
        if (messages.length === 0) return { kind: 'nothing', leftMs: Number(leftMs) }
        const gap = sortable(String(dropped)) > sortable(after) ? { gap: true as const } : {}
        return { kind: 'messages', owner: String(owner), messages, ...gap }
      }
      return waitFor({ channel, ring: 'message', waitMs, signal, look }, backing.waiting)
    },
    async answer(session, messageId, reply, { notice, listeners = false, by = '' } = {}) {
      const { keys, channel, replies } = placeFor(session)
      checkReply(reply)
      if (by !== '') checkName('author', by)
      const text = JSON.stringify(reply)
      const args = noticeArgs(notice)
      const [said, heard] = await attempt(['answer', session, messageId, text, by], (token) =>
        connection.run(scripts.ANSWER, keys, [channel, messageId, text, token, replies, by, ...args]),
      )
      if (said !== 'ok') return said === 'missing' ? 'missing' : 'unknown'
      return listeners && connection.counts && heard === 0 ? 'unheard' : 'answered'
    },
    async takeReply(session, messageId, options) {
      const { keys, replies } = placeFor(session)
      const { orRetracted, ...waiting } = replyOptions(options)
      const name = JSON.stringify([tenantId, 'take', session, messageId])
      const taker = tokens.take(name)
      let unsure = false
      const look = async (): Promise<ReplyRead | Nothing> => {
        unsure = true
        const [said, told] = await connection.run(scripts.TAKE, keys, [messageId, taker, orRetracted ? '1' : ''])
        unsure = false
        if (said === 'missing' || said === 'unknown') return { kind: said }
        if (said === 'empty') return { kind: 'nothing', leftMs: Number(told) }
        const taken = decodeReply(told as string[] | null)
        // It has arrived, and need not be kept; if this fails, it goes with the session.
        connection.run(scripts.TOOK, keys, [messageId, taker]).catch(() => undefined)
        return { kind: 'reply', ...taken }
      }
      try {
        const wait = { channel: replies, ring: `reply:${messageId}` as const, ...waiting, look }
        return await waitFor(wait, backing.waiting)
      } finally {
        if (unsure) tokens.keep(name, taker)
      }
    },
    async retract(session, messageId, { notice } = {}) {
      const { keys, channel, replies } = placeFor(session)
      const args = noticeArgs(notice)
      const [said] = await attempt(['retract', session, messageId], (token) =>
        connection.run(scripts.RETRACT, keys, [channel, messageId, token, replies, ...args]),
      )
      return said === 'ok'
    },
    tenant(id) {
      return bind(backing, parseTenantId(id))
    },
    ping: () => connection.ping(),
    async shutdown() {
      backing.waiting.watches.end()
      backing.waiting.bell.close()
      await connection.close()
    },
  }
}

/** What is stored beside a message's content; nothing if there is nothing. */
function metaOf(message: HilMessage): string {
  const { msg_id: _id, msg_type: _type, content: _content, ...beside } = message
  return Object.keys(beside).length > 0 ? JSON.stringify(beside) : ''
}

/** What a range of a stream begins with, without the position itself. The last of all positions would have nothing after it. */
function start(after: string): string {
  const [first = '0', second = '0'] = after.split('-')
  return `(${first}-${second === LAST ? BEFORE_LAST : second}`
}

const LAST = '18446744073709551615'
const BEFORE_LAST = '18446744073709551614'
