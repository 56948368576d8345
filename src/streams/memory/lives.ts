import type { ReaderSession, Streams } from '../../ports/streams.ts'
import { HilStreamExists, StreamsClosed } from '../../protocol/errors/errors.ts'
import { uuidSource } from '../../protocol/uuid.ts'
import { checkName, expiryMs, sameNames, sessionsOptions } from '../shared/check.ts'
import type { Backing } from './backing.ts'
import { createSession, isNamed, type MemorySession } from './memory-session.ts'

const MOST_SESSIONS = 1000

/** What those watch who read all sessions of somebody. No session has such a key. */
export function readerKey(tenant: string, reader: string): string {
  return JSON.stringify([tenant, reader, 'reader'])
}

/** What lives need of their streams. */
interface LivesParts {
  backing: Backing
  tenantId: string
  keyOf(session: string): string
  find(key: string): MemorySession | undefined
  ringReaders(readers: readonly string[]): void
}

/** How sessions begin, go on and end, and who has them. */
export function createLives({
  backing,
  tenantId,
  keyOf,
  find,
  ringReaders,
}: LivesParts): Pick<Streams, 'open' | 'extend' | 'close' | 'describe' | 'sessions'> {
  const { clock, sessions, watches } = backing
  const newHolder = uuidSource()

  function sessionsOf(reader: string): ReaderSession[] {
    const names = [...sessions].flatMap(([key, { tenant, owner }]) => {
      const found = tenant === tenantId ? find(key) : undefined
      return found && (owner === reader || isNamed(found, reader)) ? [{ session: found.name, owner }] : []
    })
    return names.reverse().slice(0, MOST_SESSIONS)
  }

  return {
    async open(session, { owner, expireSeconds, takeOver = false }) {
      const key = keyOf(session)
      checkName('owner', owner)
      const ms = expiryMs(expireSeconds)
      const found = find(key)
      const holder = newHolder()
      if (found) {
        if (!takeOver || found.owner !== owner) throw new HilStreamExists(session)
        Object.assign(found, { holder, expiresAt: clock.now() + ms })
        return holder
      }
      makeRoom(backing)
      const { maxNotifications } = backing
      const facts = { tenant: tenantId, name: session, owner, holder, expiresAt: clock.now() + ms, maxNotifications }
      sessions.set(key, createSession(facts))
      ringReaders([owner])
      return holder
    },
    async extend(session, { expireSeconds, holder }) {
      const ms = expiryMs(expireSeconds)
      const found = find(keyOf(session))
      if (!found || (holder !== undefined && found.holder !== holder)) return false
      found.expiresAt = clock.now() + ms
      return true
    },
    async close(session, { holder } = {}) {
      const key = keyOf(session)
      const found = find(key)
      if (!found || (holder !== undefined && found.holder !== holder)) return false
      sessions.delete(key)
      watches.ring(key, 'end')
      return true
    },
    async describe(session, { reader, last = false } = {}) {
      const found = find(keyOf(session))
      if (!found) return undefined
      const { owner, expiresAt, lastPosition } = found
      const named = reader !== undefined && isNamed(found, reader)
      return { owner, expiresAt, ...(named ? { named } : {}), ...(last ? { last: lastPosition } : {}) }
    },
    async sessions(reader, options = {}) {
      if (backing.closed) throw new StreamsClosed()
      checkName('reader', reader)
      const { known, ...wait } = sessionsOptions(options)
      const look = () => sessionsOf(reader)
      if (wait.waitMs === 0) return look()
      const watch = watches.watch(readerKey(tenantId, reader), { ring: 'message', ...wait })
      try {
        for (;;) {
          const found = look()
          if (!sameNames(found, known) || (await watch.next(backing.lookMs)) === 'over') return found
        }
      } finally {
        watch.close()
      }
    },
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
