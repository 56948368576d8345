import type { ReaderSession, SessionFacts, SessionsOptions } from '../../ports/streams.ts'
import { checkName, sameNames, sessionsOptions } from '../shared/check.ts'
import { placeOfReader } from './place.ts'
import * as scripts from './scripts.ts'
import type { Backing } from './tenant-sessions.ts'
import { type Nothing, waitFor } from './wait.ts'

/** The sessions that each reader owns or reviews a question in. */
export interface SessionLists {
  /** Adds a session after it was opened. */
  add(reader: string, session: string, ms: number): Promise<void>
  /** Makes sure that an extended session is still listed. */
  keep(reader: string, session: string, ms: number): Promise<void>
  /** Adds a session for the reviewers of a question after it was sent. */
  addAll(readers: readonly string[], session: string): Promise<void>
  read(reader: string, options: SessionsOptions): Promise<ReaderSession[]>
}

/** How many sessions are returned. */
const MOST = 1000
/** How long a session stays listed for a reviewer. A new question lists it again. */
const REVIEW_MS = 7 * 86_400_000

/** The lists of one tenant. Each entry is checked against its session, which may have ended or have another owner by now. */
export function createSessionLists(
  backing: Pick<Backing, 'prefix' | 'connection' | 'waiting'>,
  tenantId: string,
  describe: (session: string, reader: string) => Promise<SessionFacts | undefined>,
): SessionLists {
  const { prefix, connection, waiting } = backing

  const add: SessionLists['add'] = async (reader, session, ms) => {
    const { keys, channel } = placeOfReader(prefix, tenantId, reader)
    await connection.run(scripts.LIST_ADD, keys, [session, ms, channel])
  }

  async function look(reader: string): Promise<ReaderSession[]> {
    const { keys } = placeOfReader(prefix, tenantId, reader)
    const listed = (await connection.run(scripts.LIST, keys, [MOST])) as string[]
    const found = await Promise.all(
      pairs(listed).map(async ([session, addedAt]): Promise<ReaderSession[]> => {
        const facts = await describe(session, reader)
        if (facts && (facts.owner === reader || facts.named)) return [{ session, owner: facts.owner }]
        await connection.run(scripts.LIST_DROP, keys, [session, addedAt])
        return []
      }),
    )
    return found.flat()
  }

  return {
    add,
    async keep(reader, session, ms) {
      await connection.run(scripts.LIST_ADD, placeOfReader(prefix, tenantId, reader).keys, [session, ms, ''])
    },
    async addAll(readers, session) {
      await Promise.all(readers.map((reader) => add(reader, session, REVIEW_MS)))
    },
    async read(reader, options) {
      checkName('reader', reader)
      const { known, ...wait } = sessionsOptions(options)
      if (wait.waitMs === 0) return look(reader)
      let last: ReaderSession[] = []
      const lookOnce = async (): Promise<{ kind: 'other' } | Nothing> => {
        last = await look(reader)
        return sameNames(last, known) ? { kind: 'nothing', leftMs: Number.POSITIVE_INFINITY } : { kind: 'other' }
      }
      const { channel } = placeOfReader(prefix, tenantId, reader)
      await waitFor({ channel, ring: 'message', ...wait, look: lookOnce }, waiting)
      return last
    },
  }
}

function pairs(flat: readonly string[]): [session: string, addedAt: string][] {
  return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i]!, flat[2 * i + 1]!])
}
