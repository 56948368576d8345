import type { ReplyRead, Streams } from '../../ports/streams.ts'
import { retractionId } from '../../protocol/hil/hil-message.ts'
import { checkName, replyOptions } from '../shared/check.ts'
import { checkReply } from '../shared/wire.ts'
import { decodeReply } from './decode.ts'
import * as scripts from './scripts.ts'
import type { TenantSessions } from './tenant-sessions.ts'
import { type Nothing, waitFor } from './wait.ts'

/** Answering, taking replies, and retracting. */
export function createReplies(
  sessions: TenantSessions,
): Pick<Required<Streams>, 'answer' | 'answerOwn' | 'takeReply' | 'retract'> {
  const { connection, maxNotifications } = sessions.backing
  const wasHeard = (heard: unknown) => !connection.counts || heard !== 0
  return {
    async answer(session, messageId, reply, { notice, listeners = false, by = '', groups = [] } = {}) {
      const { keys, channel, replies } = sessions.placeOf(session)
      checkReply(reply)
      if (by !== '') checkName('author', by)
      const json = JSON.stringify(reply)
      const author = [by, groups.length > 0 ? JSON.stringify(groups) : '']
      const args = sessions.noticeArgs(notice)
      const [said, heard] = await sessions.attempt(['answer', session, messageId, json, ...author], (token) =>
        connection.run(scripts.ANSWER, keys, [channel, messageId, json, token, replies, ...author, ...args]),
      )
      if (said !== 'ok') return said === 'missing' ? 'missing' : 'unknown'
      return listeners && !wasHeard(heard) ? 'unheard' : 'answered'
    },
    async answerOwn(session, messageId, { reply, owner, groups = [] }) {
      const { keys, channel, replies } = sessions.placeOf(session)
      checkReply(reply)
      const json = JSON.stringify(reply)
      const author = [owner, groups.length > 0 ? JSON.stringify(groups) : '']
      const notice = [retractionId(messageId), maxNotifications]
      const [said, heard] = await sessions.attempt(['answer', session, messageId, json, ...author], (token) =>
        connection.run(scripts.ANSWER_OWN, keys, [channel, messageId, json, token, replies, ...author, ...notice]),
      )
      if (said !== 'ok') return 'look'
      return wasHeard(heard) ? 'answered' : 'unheard'
    },
    takeReply: (session, messageId, options) => takeReply(sessions, { session, messageId, ...replyOptions(options) }),
    async retract(session, messageId, { notice } = {}) {
      const { keys, channel, replies } = sessions.placeOf(session)
      const args = sessions.noticeArgs(notice)
      const [said] = await sessions.attempt(['retract', session, messageId], (token) =>
        connection.run(scripts.RETRACT, keys, [channel, messageId, token, replies, ...args]),
      )
      return said === 'ok'
    },
  }
}

interface Taking extends ReturnType<typeof replyOptions> {
  session: string
  messageId: string
}

/** Waits for a reply and takes it. A take whose outcome is not known is repeated with the same token, which gets the same reply. */
async function takeReply(sessions: TenantSessions, taking: Taking): Promise<ReplyRead> {
  const { session, messageId, orRetracted, ...waiting } = taking
  const { connection, tokens } = sessions.backing
  const { keys, replies } = sessions.placeOf(session)
  const name = sessions.attemptName('take', session, messageId)
  const taker = tokens.take(name)
  let unsure = false
  const look = async (): Promise<ReplyRead | Nothing> => {
    unsure = true
    const [said, told] = await connection.run(scripts.TAKE, keys, [messageId, taker, orRetracted ? '1' : ''])
    unsure = false
    if (said === 'missing' || said === 'unknown') return { kind: said }
    if (said === 'empty') return { kind: 'nothing', leftMs: Number(told) }
    const taken = decodeReply(told as string[] | null)
    // It has arrived and need not be kept. If this fails, it goes with the session.
    connection.run(scripts.TOOK, keys, [messageId, taker]).catch(() => undefined)
    return { kind: 'reply', ...taken }
  }
  try {
    const wait = { channel: replies, ring: `reply:${messageId}` as const, ...waiting, look }
    return await waitFor(wait, sessions.backing.waiting)
  } finally {
    if (unsure) tokens.keep(name, taker)
  }
}
