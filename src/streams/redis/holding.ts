import type { Streams } from '../../ports/streams.ts'
import { HilStreamExists } from '../../protocol/errors/errors.ts'
import { checkName, expiryMs } from '../shared/check.ts'
import * as scripts from './scripts.ts'
import type { SessionLists } from './session-lists.ts'
import type { TenantSessions } from './tenant-sessions.ts'

/** Opens, extends, closes and lists sessions. */
export function createHolding(
  sessions: TenantSessions,
  lists: SessionLists,
): Pick<Streams, 'open' | 'extend' | 'close' | 'sessions'> {
  const { connection } = sessions.backing
  return {
    async open(session, { owner, expireSeconds, takeOver = false }) {
      const { keys } = sessions.placeOf(session)
      checkName('owner', owner)
      const ms = expiryMs(expireSeconds)
      const holder = await sessions.attempt(['open', session, owner, String(takeOver)], async (token) => {
        const [said] = await connection.run(scripts.OPEN, keys, [owner, ms, token, takeOver ? '1' : ''])
        if (said !== 'ok') return undefined
        await lists.add(owner, session, ms)
        return token
      })
      if (holder === undefined) throw new HilStreamExists(session)
      return holder
    },
    async extend(session, { expireSeconds, holder = '' }) {
      const { keys } = sessions.placeOf(session)
      const ms = expiryMs(expireSeconds)
      const [said, owner] = await connection.run(scripts.EXTEND, keys, [ms, holder])
      if (said === 'ok') await lists.keep(String(owner), session, ms)
      return said === 'ok'
    },
    async close(session, { holder = '' } = {}) {
      const { keys, channel, replies } = sessions.placeOf(session)
      const [said] = await connection.run(scripts.CLOSE, keys, [channel, replies, holder])
      return said === 'ok'
    },
    sessions: (reader, options = {}) => lists.read(reader, options),
  }
}
