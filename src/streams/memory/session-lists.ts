import type { ReaderSession, Streams } from '../../ports/streams.ts'
import { StreamsClosed } from '../../protocol/errors/errors.ts'
import { checkName, sameNames, sessionsOptions } from '../shared/check.ts'
import { isNamed } from './memory-session.ts'
import type { TenantSessions } from './tenant-sessions.ts'

const MOST_SESSIONS = 1000

/** The sessions that each reader owns or reviews a question in. */
export function createSessionLists(sessions: TenantSessions): Pick<Streams, 'sessions'> {
  const { backing, watches } = sessions
  return {
    async sessions(reader, options = {}) {
      if (backing.closed) throw new StreamsClosed()
      checkName('reader', reader)
      const { known, ...wait } = sessionsOptions(options)
      if (wait.waitMs === 0) return sessionsOf(sessions, reader)
      const watch = watches.watch(sessions.readerKey(reader), { ring: 'message', ...wait })
      try {
        for (;;) {
          const found = sessionsOf(sessions, reader)
          if (!sameNames(found, known) || (await watch.next(backing.lookMs)) === 'over') return found
        }
      } finally {
        watch.close()
      }
    },
  }
}

/** Newest first. */
function sessionsOf(sessions: TenantSessions, reader: string): ReaderSession[] {
  const { backing, tenantId } = sessions
  const names = [...backing.sessions].flatMap(([key, { tenant, owner }]) => {
    const found = tenant === tenantId ? sessions.find(key) : undefined
    return found && (owner === reader || isNamed(found, reader)) ? [{ session: found.name, owner }] : []
  })
  return names.reverse().slice(0, MOST_SESSIONS)
}
