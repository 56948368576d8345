import type { Streams } from '../../ports/streams.ts'
import { HilMsgStreamMissingError } from '../../protocol/errors/errors.ts'
import { readOptions } from '../shared/check.ts'
import { checkMessage } from '../shared/wire.ts'
import { after, hasGap, type MemorySession, openQuestion, openQuestions } from './memory-session.ts'
import type { TenantSessions } from './tenant-sessions.ts'

/** Sending and reading messages. */
export function createMessages(sessions: TenantSessions): Pick<Streams, 'send' | 'read' | 'pending' | 'question'> {
  return {
    async send(session, message) {
      const key = sessions.keyOf(session)
      checkMessage(message)
      const found = sessions.find(key)
      if (!found) throw new HilMsgStreamMissingError(session)
      return sessions.put(key, found, message)
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
      return sessions.waitFor(sessions.keyOf(session), { ring: 'message', waitMs, signal, look })
    },
    async pending(session) {
      const found = sessions.find(sessions.keyOf(session))
      if (!found) return { kind: 'missing' }
      const messages = openQuestions(found)
      return messages.length > 0 ? { kind: 'messages', owner: found.owner, messages } : { kind: 'empty' }
    },
    async question(session, messageId) {
      const found = sessions.find(sessions.keyOf(session))
      if (!found) return { kind: 'missing' }
      const question = openQuestion(found, messageId)
      return question ? { kind: 'question', question } : { kind: 'unknown' }
    },
  }
}
