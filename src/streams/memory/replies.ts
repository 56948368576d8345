import type { Streams } from '../../ports/streams.ts'
import { checkName, replyOptions } from '../shared/check.ts'
import { checkMessage, checkReply } from '../shared/wire.ts'
import { drop, isOver, type MemorySession, settle, take } from './memory-session.ts'
import type { TenantSessions } from './tenant-sessions.ts'

/** Answering, taking replies, and retracting. */
export function createReplies(sessions: TenantSessions): Pick<Streams, 'answer' | 'takeReply' | 'retract'> {
  const { watches } = sessions
  return {
    async answer(session, messageId, reply, { notice, listeners = false, by, groups = [] } = {}) {
      const key = sessions.keyOf(session)
      checkReply(reply)
      if (by !== undefined) checkName('author', by)
      if (notice) checkMessage(notice)
      const found = sessions.find(key)
      if (!found) return 'missing'
      const author = { ...(by === undefined ? {} : { by }), ...(groups.length > 0 ? { groups: [...groups] } : {}) }
      if (!settle(found, messageId, { reply, ...author })) return 'unknown'
      const heard = watches.ring(key, `reply:${messageId}`)
      if (notice) sessions.put(key, found, notice)
      return listeners && heard === 0 ? 'unheard' : 'answered'
    },
    async takeReply(session, messageId, options) {
      const { orRetracted, ...wait } = replyOptions(options)
      const look = (found: MemorySession) => {
        const taken = take(found, messageId)
        if (taken) return { kind: 'reply' as const, ...taken }
        return orRetracted && isOver(found, messageId) ? { kind: 'unknown' as const } : undefined
      }
      return sessions.waitFor(sessions.keyOf(session), { ring: `reply:${messageId}`, ...wait, look })
    },
    async retract(session, messageId, { notice } = {}) {
      const key = sessions.keyOf(session)
      if (notice) checkMessage(notice)
      const found = sessions.find(key)
      if (!found || !drop(found, messageId)) return false
      watches.ring(key, `reply:${messageId}`)
      if (notice) sessions.put(key, found, notice)
      return true
    },
  }
}
