import type { StreamRead, Streams } from '../../ports/streams.ts'
import { HilContentError, HilMsgStreamMissingError } from '../../protocol/errors/errors.ts'
import { checkName, readOptions } from '../shared/check.ts'
import { sortable } from '../shared/position.ts'
import { checkMessage } from '../shared/wire.ts'
import { decodeMessage, type RawEntry } from './decode.ts'
import * as scripts from './scripts.ts'
import type { SessionLists } from './session-lists.ts'
import { metaOf, type TenantSessions } from './tenant-sessions.ts'
import { type Nothing, waitFor } from './wait.ts'

/** Sending and reading messages. */
export function createMessages(sessions: TenantSessions, lists: SessionLists): Pick<Streams, 'send' | 'read'> {
  const { connection, maxNotifications, waiting } = sessions.backing
  return {
    async send(session, message) {
      const { keys, channel } = sessions.placeOf(session)
      checkMessage(message)
      const { msg_id, msg_type, content } = message
      checkName('message id', msg_id)
      const reviewers = message.meta?.reviewers ?? []
      const names = reviewers.length > 0 ? JSON.stringify(reviewers) : ''
      const args = [channel, msg_id, msg_type, JSON.stringify(content), metaOf(message), names, maxNotifications]
      const [said, position] = await connection.run(scripts.SEND, keys, args)
      if (said === 'missing') throw new HilMsgStreamMissingError(session)
      if (said === 'used') throw new HilContentError(`the message id ${msg_id} was used before; make a new one.`)
      if (names !== '' && msg_type === 'HIL_interrupt_request') await lists.addAll(reviewers, session)
      return String(position)
    },
    async read(session, options) {
      const { keys, channel } = sessions.placeOf(session)
      const { after, limit, waitMs, signal, owner: only = '' } = readOptions(options)
      const look = async (): Promise<StreamRead | Nothing> => {
        const read = await connection.run(scripts.READ, keys, [start(after), limit, only])
        const [said, leftMs, raw, owner, dropped] = read
        if (said === 'missing') return { kind: 'missing' }
        const messages = (raw as RawEntry[]).map(decodeMessage)
        if (messages.length === 0) return { kind: 'nothing', leftMs: Number(leftMs) }
        const gap = sortable(String(dropped)) > sortable(after) ? { gap: true as const } : {}
        return { kind: 'messages', owner: String(owner), messages, ...gap }
      }
      return waitFor({ channel, ring: 'message', waitMs, signal, look }, waiting)
    },
  }
}

/** The exclusive start of a range after a position. Nothing comes after the last of all positions, which Redis refuses as a start. */
function start(after: string): string {
  const [first = '0', second = '0'] = after.split('-')
  return `(${first}-${second === LAST ? BEFORE_LAST : second}`
}

const LAST = '18446744073709551615'
const BEFORE_LAST = '18446744073709551614'
