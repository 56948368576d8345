import { type Clock, systemClock } from '../../ports/clock.ts'
import type { Streams } from '../../ports/streams.ts'
import { requireKnown } from '../../protocol/checks/known-options.ts'
import { HilMsgStreamMissingError, StreamsClosed } from '../../protocol/errors/errors.ts'
import type { HilMessage } from '../../protocol/hil/hil.ts'
import { parseTenantId } from '../../protocol/ids.ts'
import { checkCount, checkName, readOptions, replyOptions } from '../shared/check.ts'
import { createWatches, type Ring, type Watches } from '../shared/watches.ts'
import { checkMessage, checkReply } from '../shared/wire.ts'
import type { Backing } from './backing.ts'
import { createLives, readerKey } from './lives.ts'
import {
  after,
  drop,
  hasGap,
  isOver,
  type MemorySession,
  openQuestion,
  openQuestions,
  put,
  settle,
  take,
} from './memory-session.ts'

/** How memory streams are made. */
export interface MemoryStreamsOptions {
  /** Rules when sessions expire. */
  clock?: Clock
  /** How many notifications a session keeps; the oldest go first. Default 1000. */
  maxNotifications?: number
}

/** Message streams that live as long as their process. Views by tenant share them, and shutting one down shuts all down. */
export function memoryStreams(options: MemoryStreamsOptions = {}): Streams {
  requireKnown('memoryStreams', options, ['clock', 'maxNotifications'])
  const clock = options.clock ?? systemClock
  const backing: Backing = {
    clock,
    lookMs: clock === systemClock ? Number.POSITIVE_INFINITY : 10,
    maxNotifications: checkCount('maxNotifications', options.maxNotifications ?? 1000),
    sessions: new Map(),
    watches: createWatches(),
    nextPosition: positions(clock),
    roomy: 64,
    closed: false,
  }
  return bind(backing, 'default')
}

function bind(backing: Backing, tenantId: string): Streams {
  const { clock, sessions, watches } = backing

  function keyOf(session: string): string {
    if (backing.closed) throw new StreamsClosed()
    checkName('session', session)
    return JSON.stringify([tenantId, session])
  }

  function find(key: string): MemorySession | undefined {
    const found = sessions.get(key)
    if (found === undefined || found.expiresAt > clock.now()) return found
    sessions.delete(key)
    watches.ring(key, 'end')
    return undefined
  }

  /** Tells those who read all sessions of theirs that one has come, or has something for them. */
  function ringReaders(readers: readonly string[]): void {
    for (const reader of readers) watches.ring(readerKey(tenantId, reader), 'message')
  }

  function tell(key: string, session: MemorySession, notice: HilMessage | undefined): void {
    if (!notice) return
    put(session, notice, backing.nextPosition)
    watches.ring(key, 'message')
  }

  /** Looks until there is something, the session is gone, or the time is up. */
  async function waitFor<T>(key: string, wait: Wait<T>): Promise<T | Gone> {
    let watch: ReturnType<Watches['watch']> | undefined
    try {
      for (;;) {
        const session = find(key)
        if (!session) return backing.closed ? { kind: 'empty' } : { kind: 'missing' }
        const found = wait.look(session)
        if (found) return found
        if (wait.waitMs === 0 || wait.signal?.aborted) return { kind: 'empty' }
        watch ??= watches.watch(key, wait)
        const atMost = Math.min(session.expiresAt - clock.now(), backing.lookMs)
        if ((await watch.next(atMost)) === 'over') return { kind: 'empty' }
      }
    } finally {
      watch?.close()
    }
  }

  return {
    tenantId,
    ...createLives({ backing, tenantId, keyOf, find, ringReaders }),
    async send(session, message) {
      const key = keyOf(session)
      checkMessage(message)
      const found = find(key)
      if (!found) throw new HilMsgStreamMissingError(session)
      const position = put(found, message, backing.nextPosition)
      watches.ring(key, 'message')
      ringReaders(message.meta?.reviewers ?? [])
      return position
    },
    async read(session, options) {
      const { after: position, limit, waitMs, signal, owner } = readOptions(options)
      const look = (found: MemorySession) => {
        if (owner !== undefined && found.owner !== owner) return { kind: 'missing' as const }
        const messages = after(found, position, limit)
        if (messages.length === 0) return undefined
        const gap = hasGap(found, position) ? { gap: true as const } : {}
        return { kind: 'messages' as const, owner: found.owner, messages, ...gap }
      }
      return waitFor(keyOf(session), { ring: 'message', waitMs, signal, look })
    },
    async pending(session) {
      const found = find(keyOf(session))
      if (!found) return { kind: 'missing' }
      const messages = openQuestions(found)
      return messages.length > 0 ? { kind: 'messages', owner: found.owner, messages } : { kind: 'empty' }
    },
    async question(session, messageId) {
      const found = find(keyOf(session))
      if (!found) return { kind: 'missing' }
      const question = openQuestion(found, messageId)
      return question ? { kind: 'question', question } : { kind: 'unknown' }
    },
    async answer(session, messageId, reply, { notice, listeners = false, by } = {}) {
      const key = keyOf(session)
      checkReply(reply)
      if (by !== undefined) checkName('author', by)
      if (notice) checkMessage(notice)
      const found = find(key)
      if (!found) return 'missing'
      if (!settle(found, messageId, { reply, by })) return 'unknown'
      const heard = watches.ring(key, `reply:${messageId}`)
      tell(key, found, notice)
      return listeners && heard === 0 ? 'unheard' : 'answered'
    },
    async takeReply(session, messageId, options) {
      const { orRetracted, ...wait } = replyOptions(options)
      const look = (found: MemorySession) => {
        const taken = take(found, messageId)
        if (taken) return { kind: 'reply' as const, ...taken }
        return orRetracted && isOver(found, messageId) ? { kind: 'unknown' as const } : undefined
      }
      return waitFor(keyOf(session), { ring: `reply:${messageId}`, ...wait, look })
    },
    async retract(session, messageId, { notice } = {}) {
      const key = keyOf(session)
      if (notice) checkMessage(notice)
      const found = find(key)
      if (!found || !drop(found, messageId)) return false
      watches.ring(key, `reply:${messageId}`)
      tell(key, found, notice)
      return true
    },
    tenant(id) {
      return bind(backing, parseTenantId(id))
    },
    async ping() {
      if (backing.closed) throw new StreamsClosed()
    },
    async shutdown() {
      backing.closed = true
      sessions.clear()
      watches.end()
    },
  }
}

type Gone = { kind: 'empty' } | { kind: 'missing' }

interface Wait<T> {
  ring: Ring
  waitMs: number
  signal: AbortSignal | undefined
  look(session: MemorySession): T | undefined
}

/** Positions of all sessions grow together, so that one that is opened again goes on above what its readers have seen. */
function positions(clock: Clock): () => string {
  let time = 0
  let count = 0
  return () => {
    const now = Math.floor(clock.now())
    count = now > time ? 0 : count + 1
    time = Math.max(time, now)
    return `${time}-${count}`
  }
}
