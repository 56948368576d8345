import type { Cluster, Redis } from 'ioredis'
import type { Streams } from '../../ports/streams.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import { parseTenantId } from '../../protocol/ids.ts'
import { checkCount } from '../shared/check.ts'
import { createWatches, type Watches } from '../shared/watches.ts'
import { Bell } from './bell.ts'
import { connect } from './connection.ts'
import { createHolding } from './holding.ts'
import { createLooks } from './looks.ts'
import { createMessages } from './messages.ts'
import { createReplies } from './replies.ts'
import { createSessionLists } from './session-lists.ts'
import { type Backing, TenantSessions } from './tenant-sessions.ts'
import { createTokens } from './tokens.ts'

/** How streams on Redis are made: from an address, or from a client of yours, which is never closed. */
export interface RedisStreamsOptions {
  /** Such as `redis://localhost:6379`, or of a Cluster `redis+cluster://a:7000,b:7000`. */
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

/**
 * Message streams on Redis 6.2 or newer, for applications and gateways in many processes. However many wait, a process has two connections: one
 * for commands and one that hears of what happened. Views by tenant share them, and shutting one down shuts all down.
 */
export function redisStreams(options: RedisStreamsOptions): Streams {
  const { prefix, maxNotifications, ...parts } = checkOptions(options)
  const connection = connect(parts)
  const watches = createWatches()
  const bell = new Bell({
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
  const sessions = new TenantSessions(backing, tenantId)
  const looks = createLooks(sessions)
  const lists = createSessionLists(backing, tenantId, (session, names) => looks.describe(session, { names }))
  return {
    tenantId,
    ...looks,
    ...createHolding(sessions, lists),
    ...createMessages(sessions, lists),
    ...createReplies(sessions),
    tenant: (id) => bind(backing, parseTenantId(id)),
    ping: () => backing.connection.ping(),
    async shutdown() {
      backing.waiting.watches.end()
      backing.waiting.bell.close()
      await backing.connection.close()
    },
  }
}
