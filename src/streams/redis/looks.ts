import type { SessionFacts, Streams } from '../../ports/streams.ts'
import { sortable } from '../shared/position.ts'
import { decodeMessage, type RawEntry } from './decode.ts'
import * as scripts from './scripts.ts'
import type { TenantSessions } from './tenant-sessions.ts'

/** Reads that neither wait nor change anything. */
export function createLooks(sessions: TenantSessions): Pick<Streams, 'describe' | 'pending' | 'question'> {
  const { connection } = sessions.backing
  return {
    async describe(session, { reader, names = [], last: wanted = false, question } = {}) {
      const asked = reader === undefined ? names : [reader, ...names]
      const looked = [question?.id ?? '', question?.owner ?? '']
      const args = [wanted ? '1' : '', ...looked, ...asked.map((name) => `n:${name}`)]
      const [said, owner, at, named, last, entry] = await connection.run(
        scripts.DESCRIBE,
        sessions.placeOf(session).keys,
        args,
      )
      if (said !== 'ok') return undefined
      const facts: SessionFacts = { owner: String(owner), expiresAt: Number(at) }
      if (named === 1) facts.named = true
      if (wanted) facts.last = String(last)
      if (Array.isArray(entry)) facts.question = decodeMessage(entry as unknown as RawEntry)
      return facts
    },
    async pending(session) {
      const [said, raw, owner] = await connection.run(scripts.PENDING, sessions.placeOf(session).keys, [])
      if (said === 'missing') return { kind: 'missing' }
      const messages = (raw as RawEntry[]).map(decodeMessage)
      if (messages.length === 0) return { kind: 'empty' }
      messages.sort((a, b) => (sortable(a.position) < sortable(b.position) ? -1 : 1))
      return { kind: 'messages', owner: String(owner), messages }
    },
    async question(session, messageId) {
      const [said, raw] = await connection.run(scripts.QUESTION, sessions.placeOf(session).keys, [messageId])
      if (said === 'ok') return { kind: 'question', question: decodeMessage(raw as RawEntry) }
      return { kind: said === 'missing' ? 'missing' : 'unknown' }
    },
  }
}
