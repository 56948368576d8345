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
      const { names, known, ...wait } = sessionsOptions(options)
      const person = { reader, names: [reader, ...names] }
      if (wait.waitMs === 0) return sessionsOf(sessions, person)
      const keys = [...new Set(person.names)].map((name) => sessions.readerKey(name))
      const watch = watches.watch(keys, { ring: 'message', ...wait })
      try {
        for (;;) {
          const found = sessionsOf(sessions, person)
          if (!sameNames(found, known) || (await watch.next(backing.lookMs)) === 'over') return found
        }
      } finally {
        watch.close()
      }
    },
  }
}

/** Newest first. */
function sessionsOf(
  sessions: TenantSessions,
  { reader, names }: { reader: string; names: readonly string[] },
): ReaderSession[] {
  const { backing, tenantId } = sessions
  const listed = [...backing.sessions].flatMap(([key, { tenant, owner }]) => {
    const found = tenant === tenantId ? sessions.find(key) : undefined
    return found && (owner === reader || isNamed(found, names)) ? [{ session: found.name, owner }] : []
  })
  return listed.reverse().slice(0, MOST_SESSIONS)
}
