import type { Streams } from '../../ports/streams.ts'
import { HilStreamExists } from '../../protocol/errors/errors.ts'
import { checkName, expiryMs } from '../shared/check.ts'
import type { Connection } from './connection.ts'
import type { Place } from './place.ts'
import * as scripts from './scripts.ts'
import type { SessionLists } from './session-lists.ts'

/** What lives need of their streams. */
interface LivesParts {
  connection: Connection
  placeFor(session: string): Place
  attempt<T>(what: readonly string[], work: (token: string) => Promise<T>): Promise<T>
  lists: SessionLists
}

/** How sessions begin, go on and end, and who has them. */
export function createLives({
  connection,
  placeFor,
  attempt,
  lists,
}: LivesParts): Pick<Streams, 'open' | 'extend' | 'close' | 'sessions'> {
  return {
    async open(session, { owner, expireSeconds, takeOver = false }) {
      const { keys } = placeFor(session)
      checkName('owner', owner)
      const ms = expiryMs(expireSeconds)
      const holder = await attempt(['open', session, owner, String(takeOver)], async (token) => {
        const [said] = await connection.run(scripts.OPEN, keys, [owner, ms, token, takeOver ? '1' : ''])
        if (said !== 'ok') return undefined
        await lists.add(owner, session, ms)
        return token
      })
      if (holder === undefined) throw new HilStreamExists(session)
      return holder
    },
    async extend(session, { expireSeconds, holder = '' }) {
      const { keys } = placeFor(session)
      const ms = expiryMs(expireSeconds)
      const [said, owner] = await connection.run(scripts.EXTEND, keys, [ms, holder])
      if (said === 'ok') await lists.keep(String(owner), session, ms)
      return said === 'ok'
    },
    async close(session, { holder = '' } = {}) {
      const { keys, channel, replies } = placeFor(session)
      const [said] = await connection.run(scripts.CLOSE, keys, [channel, replies, holder])
      return said === 'ok'
    },
    sessions: (reader, options = {}) => lists.read(reader, options),
  }
}
