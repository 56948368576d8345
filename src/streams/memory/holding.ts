import type { Streams } from '../../ports/streams.ts'
import { HilStreamExists } from '../../protocol/errors/errors.ts'
import { uuidSource } from '../../protocol/uuid.ts'
import { checkName, expiryMs } from '../shared/check.ts'
import { createSession, isNamed, openQuestion } from './memory-session.ts'
import type { TenantSessions } from './tenant-sessions.ts'

/** Opening, extending, closing and describing sessions. */
export function createHolding(sessions: TenantSessions): Pick<Streams, 'open' | 'extend' | 'close' | 'describe'> {
  const { backing, tenantId } = sessions
  const { clock } = backing
  const newHolder = uuidSource()
  return {
    async open(session, { owner, expireSeconds, takeOver = false }) {
      const key = sessions.keyOf(session)
      checkName('owner', owner)
      const expiresAt = clock.now() + expiryMs(expireSeconds)
      const found = sessions.find(key)
      const holder = newHolder()
      if (found) {
        if (!takeOver || found.owner !== owner) throw new HilStreamExists(session)
        Object.assign(found, { holder, expiresAt })
        return holder
      }
      forgetExpired(sessions)
      const { maxNotifications } = backing
      const facts = { tenant: tenantId, name: session, owner, holder, expiresAt, maxNotifications }
      backing.sessions.set(key, createSession(facts))
      sessions.ringReaders([owner])
      return holder
    },
    async extend(session, { expireSeconds, holder }) {
      const ms = expiryMs(expireSeconds)
      const found = sessions.find(sessions.keyOf(session))
      if (!found || (holder !== undefined && found.holder !== holder)) return false
      found.expiresAt = clock.now() + ms
      return true
    },
    async close(session, { holder } = {}) {
      const key = sessions.keyOf(session)
      const found = sessions.find(key)
      if (!found || (holder !== undefined && found.holder !== holder)) return false
      sessions.end(key)
      return true
    },
    async describe(session, { reader, names = [], last = false, question: wanted } = {}) {
      const found = sessions.find(sessions.keyOf(session))
      if (!found) return undefined
      const { owner, expiresAt, lastPosition } = found
      const named = isNamed(found, reader === undefined ? names : [reader, ...names])
      const question = wanted?.owner === owner ? openQuestion(found, wanted.id) : undefined
      const more = { ...(named ? { named } : {}), ...(last ? { last: lastPosition } : {}) }
      return { owner, expiresAt, ...more, ...(question ? { question } : {}) }
    },
  }
}

/** Removes expired sessions that nobody asked for, whenever the number of sessions has doubled since the last time. */
function forgetExpired(sessions: TenantSessions): void {
  const { backing } = sessions
  if (backing.sessions.size < backing.forgetAt) return
  const now = backing.clock.now()
  for (const [key, { expiresAt }] of backing.sessions) if (expiresAt <= now) sessions.end(key)
  backing.forgetAt = Math.max(64, backing.sessions.size * 2)
}
