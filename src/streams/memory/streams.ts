import { type Clock, systemClock } from '../../ports/clock.ts'
import type { Streams } from '../../ports/streams.ts'
import { HilMsgStreamMissingError, HilStreamExists, StreamsClosed } from '../../protocol/errors.ts'
import { requireKnown } from '../../protocol/known-options.ts'
import { checkName, expiryMs, readOptions, replyOptions } from '../shared/check.ts'
import { createWatches, type Ring, type Watches } from '../shared/watches.ts'
import { checkMessage, checkReply } from '../shared/wire.ts'
import { after, createSession, drop, openQuestion, openQuestions, put, type Session, settle, take } from './session.ts'

/** How memory streams are made. */
export interface MemoryStreamsOptions {
  /** Rules when sessions expire. */
  clock?: Clock
}

/** What all views of the same streams share. */
interface Backing {
  readonly clock: Clock
  /** How long a waiter may sleep at most: nobody tells when a clock that was brought jumps. */
  readonly lookMs: number
  readonly sessions: Map<string, Session>
  readonly watches: Watches
  nextPosition(): string
  /** How many sessions there may be before expired ones are looked for. */
  roomy: number
  closed: boolean
}

/** Message streams that live as long as their process. Views by tenant share them, and shutting one down shuts all down. */
export function memoryStreams(options: MemoryStreamsOptions = {}): Streams {
  requireKnown('memoryStreams', options, ['clock'])
  const clock = options.clock ?? systemClock
  const backing: Backing = {
    clock,
    lookMs: clock === systemClock ? Number.POSITIVE_INFINITY : 10,
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

  function find(key: string): Session | undefined {
    const found = sessions.get(key)
    if (found === undefined || found.expiresAt > clock.now()) return found
    sessions.delete(key)
    watches.ring(key, 'end')
    return undefined
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
    async open(session, { owner, expireSeconds }) {
      const key = keyOf(session)
      checkName('owner', owner)
      const ms = expiryMs(expireSeconds)
      if (find(key)) throw new HilStreamExists(session)
      makeRoom(backing)
      sessions.set(key, createSession(owner, clock.now() + ms))
    },
    async extend(session, { expireSeconds }) {
      const ms = expiryMs(expireSeconds)
      const found = find(keyOf(session))
      if (found) found.expiresAt = clock.now() + ms
      return found !== undefined
    },
    async close(session) {
      const key = keyOf(session)
      const found = find(key) !== undefined
      sessions.delete(key)
      watches.ring(key, 'end')
      return found
    },
    async describe(session) {
      const found = find(keyOf(session))
      return found && { owner: found.owner, expiresAt: found.expiresAt }
    },
    async send(session, message) {
      const key = keyOf(session)
      checkMessage(message)
      const found = find(key)
      if (!found) throw new HilMsgStreamMissingError(session)
      const position = put(found, message, backing.nextPosition)
      watches.ring(key, 'message')
      return position
    },
    async read(session, options) {
      const { after: position, limit, waitMs, signal } = readOptions(options)
      const look = (found: Session) => {
        const messages = after(found, position, limit)
        return messages.length > 0 ? { kind: 'messages' as const, owner: found.owner, messages } : undefined
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
    async answer(session, messageId, reply) {
      const key = keyOf(session)
      checkReply(reply)
      const found = find(key)
      if (!found) return 'missing'
      if (!settle(found, messageId, reply)) return 'unknown'
      watches.ring(key, `reply:${messageId}`)
      return 'answered'
    },
    async takeReply(session, messageId, options) {
      const look = (found: Session) => {
        const taken = take(found, messageId)
        return taken && { kind: 'reply' as const, reply: taken.reply }
      }
      return waitFor(keyOf(session), { ring: `reply:${messageId}`, ...replyOptions(options), look })
    },
    async retract(session, messageId) {
      const found = find(keyOf(session))
      return found !== undefined && drop(found, messageId)
    },
    tenant(id) {
      checkName('tenant', id)
      return bind(backing, id)
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
  look(session: Session): T | undefined
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

/** Forgets sessions that nobody asked for since they expired, whenever there are twice as many as the last time. */
function makeRoom(backing: Backing): void {
  const { sessions, clock, watches } = backing
  if (sessions.size < backing.roomy) return
  const now = clock.now()
  for (const [key, { expiresAt }] of sessions) {
    if (expiresAt > now) continue
    sessions.delete(key)
    watches.ring(key, 'end')
  }
  backing.roomy = Math.max(64, sessions.size * 2)
}
