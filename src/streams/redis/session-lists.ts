import type { ReaderSession, SessionFacts, SessionsOptions } from '../../ports/streams.ts'
import { checkName, sameNames, sessionsOptions } from '../shared/check.ts'
import * as scripts from './list-scripts.ts'
import { placeOfReader } from './place.ts'
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

interface Listed extends ReaderSession {
  readonly addedAt: number
}

/** How many sessions are returned. */
const MOST = 1000
/** How long a session stays listed for a reviewer. A new question lists it again. */
const REVIEW_MS = 7 * 86_400_000

/** The lists of one tenant. Each entry is checked against its session, which may have ended or have another owner by now. */
export function createSessionLists(
  backing: Pick<Backing, 'prefix' | 'connection' | 'waiting'>,
  tenantId: string,
  describe: (session: string, names: readonly string[]) => Promise<SessionFacts | undefined>,
): SessionLists {
  const { prefix, connection, waiting } = backing

  const add: SessionLists['add'] = async (reader, session, ms) => {
    const { keys, channel } = placeOfReader(prefix, tenantId, reader)
    await connection.run(scripts.LIST_ADD, keys, [session, ms, channel])
  }

  async function look(reader: string, names: readonly string[]): Promise<ReaderSession[]> {
    const lists = await Promise.all(names.map((name) => lookAt(name, reader, names)))
    const newestFirst = lists.flat().sort((a, b) => b.addedAt - a.addedAt)
    const sessions = new Map<string, ReaderSession>()
    for (const { session, owner } of newestFirst) if (!sessions.has(session)) sessions.set(session, { session, owner })
    return [...sessions.values()].slice(0, MOST)
  }

  async function lookAt(list: string, reader: string, names: readonly string[]): Promise<Listed[]> {
    const { keys } = placeOfReader(prefix, tenantId, list)
    const listed = (await connection.run(scripts.LIST, keys, [MOST])) as string[]
    const found = await Promise.all(
      pairs(listed).map(async ([session, addedAt]): Promise<Listed[]> => {
        const facts = await describe(session, names)
        if (facts && (facts.owner === reader || facts.named))
          return [{ session, owner: facts.owner, addedAt: Number(addedAt) }]
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
      const { names: others, known, ...wait } = sessionsOptions(options)
      const names = [...new Set([reader, ...others])]
      if (wait.waitMs === 0) return look(reader, names)
      let last: ReaderSession[] = []
      const lookOnce = async (): Promise<{ kind: 'other' } | Nothing> => {
        last = await look(reader, names)
        return sameNames(last, known) ? { kind: 'nothing', leftMs: Number.POSITIVE_INFINITY } : { kind: 'other' }
      }
      const channel = names.map((name) => placeOfReader(prefix, tenantId, name).channel)
      await waitFor({ channel, ring: 'message', ...wait, look: lookOnce }, waiting)
      return last
    },
  }
}

function pairs(flat: readonly string[]): [session: string, addedAt: string][] {
  return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i]!, flat[2 * i + 1]!])
}
