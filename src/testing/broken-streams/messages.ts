import type { QuestionRead, ReplyRead } from '../../ports/streams.ts'
import type { HilReply } from '../../protocol/hil/hil.ts'
import { type BrokenStreams, breakStreams } from './broken-streams.ts'

/** Streams that lose, duplicate or mix up messages and replies. */
export const brokenMessages: readonly BrokenStreams[] = [
  {
    name: 'read at a position and not after it',
    rejectedBy: ['messages are read in order after a position, up to the limit'],
    harness: breakStreams((sound) => ({
      read(session, { after, ...options }) {
        const [time = '0', count = '0'] = after.split('-')
        const before =
          count === '0' ? `${BigInt(time) > 0n ? BigInt(time) - 1n : 0n}-${MOST}` : `${time}-${BigInt(count) - 1n}`
        return sound.read(session, { ...options, after: after === '0' ? after : before })
      },
    })),
  },
  {
    name: 'forget who answered',
    rejectedBy: ['a reply names its author, if the answer did'],
    harness: breakStreams((sound) => ({
      answer: (session, messageId, reply, { by: _by, ...options } = {}) =>
        sound.answer(session, messageId, reply, options),
    })),
  },
  {
    name: 'read the newest first',
    rejectedBy: [
      'messages are read in order after a position, up to the limit',
      'reading removes nothing: the same position returns the same messages to every reader',
    ],
    harness: breakStreams((sound) => ({
      async read(session, options) {
        const read = await sound.read(session, options)
        return read.kind === 'messages' ? { ...read, messages: read.messages.reverse() } : read
      },
    })),
  },
  {
    name: 'drop members of a body that they do not know',
    rejectedBy: ['messages arrive as they were sent, with all members and characters'],
    harness: breakStreams((sound) => ({
      send(session, message) {
        if (message.msg_type === 'Notification') return sound.send(session, message)
        const { tool_name, type, tool_exec_uuid, detail } = message.content.body
        const body = { tool_name, type, tool_exec_uuid, detail }
        return sound.send(session, { ...message, content: { source: 'agent_tool_call', body } })
      },
    })),
  },
  {
    name: 'put a message that is sent again a second time',
    rejectedBy: ['sending a message again stores it once'],
    harness: breakStreams((sound) => {
      const sent = new Set<string>()
      return {
        send(session, message) {
          const again = sent.has(message.msg_id)
          sent.add(message.msg_id)
          return sound.send(session, again ? { ...message, msg_id: `${message.msg_id} again` } : message)
        },
      }
    }),
  },
  {
    name: 'take what cannot be sent',
    rejectedBy: ['an invalid message, reply or position is refused, and nothing is stored'],
    harness: breakStreams((sound) => ({
      send: (session, message) => sound.send(session, JSON.parse(JSON.stringify(message, (_, v) => v ?? {}))),
    })),
  },
  {
    name: 'hand a message out once',
    rejectedBy: ['reading removes nothing: the same position returns the same messages to every reader'],
    harness: breakStreams((sound) => {
      const read = new Set<string>()
      return {
        async read(session, options) {
          const found = await sound.read(session, options)
          if (found.kind !== 'messages') return found
          const messages = found.messages.filter(({ position }) => !read.has(position))
          for (const { position } of messages) read.add(position)
          return messages.length > 0 ? { ...found, messages } : { kind: 'empty' }
        },
      }
    }),
  },
  {
    name: 'look for the question and take it away in two steps',
    rejectedBy: ['of many concurrent answers one wins, and its reply is taken'],
    harness: breakStreams((sound) => ({
      async answer(session, messageId, reply) {
        const pending = await sound.pending(session)
        if (pending.kind !== 'messages') return pending.kind === 'missing' ? 'missing' : 'unknown'
        const open = pending.messages.some((each) => 'message' in each && each.message.msg_id === messageId)
        await new Promise((resolve) => setImmediate(resolve))
        await sound.answer(session, messageId, reply)
        return open ? 'answered' : 'unknown'
      },
    })),
  },
  {
    name: 'find a message by its id that is no open question',
    rejectedBy: ['a question is found by its id only while it is open'],
    harness: breakStreams((sound) => ({
      async question(session, messageId) {
        const read = await sound.read(session, { after: '0', limit: 10_000 })
        if (read.kind !== 'messages') return { kind: read.kind === 'missing' ? 'missing' : 'unknown' }
        const found = read.messages.find((each) => 'message' in each && each.message.msg_id === messageId)
        return found ? { kind: 'question', question: found } : { kind: 'unknown' }
      },
    })),
  },
  {
    name: 'find a question by its id that was answered or taken back',
    rejectedBy: ['a question is found by its id only while it is open'],
    harness: breakStreams((sound) => {
      const known = new Map<string, QuestionRead>()
      return {
        async send(session, message) {
          const position = await sound.send(session, message)
          if (message.msg_type !== 'Notification')
            known.set(message.msg_id, { kind: 'question', question: { position, message } })
          return position
        },
        async question(session, messageId) {
          if (!(await sound.describe(session))) return { kind: 'missing' }
          return known.get(messageId) ?? { kind: 'unknown' }
        },
      }
    }),
  },
  {
    name: 'leave a question that was answered where it is',
    rejectedBy: [
      'an answered question is no longer open and its reply can be taken',
      'a second answer is refused, before and after the first was taken',
    ],
    harness: breakStreams((sound) => {
      const replies = new Map<string, HilReply>()
      return {
        async answer(session, messageId, reply) {
          if (!(await sound.describe(session))) return 'missing'
          replies.set(messageId, reply)
          return 'answered'
        },
        async takeReply(session, messageId, options) {
          const reply = replies.get(messageId)
          replies.delete(messageId)
          return reply === undefined ? sound.takeReply(session, messageId, options) : { kind: 'reply', reply }
        },
      }
    }),
  },
  {
    name: 'take an empty reply for none',
    rejectedBy: ['an empty string and an empty object are replies'],
    harness: breakStreams((sound) => ({
      async takeReply(session, messageId, options) {
        const read = await sound.takeReply(session, messageId, options)
        return read.kind === 'reply' && !read.reply ? { kind: 'empty' } : read
      },
    })),
  },
  {
    name: 'lose a reply that nobody waits for',
    rejectedBy: ['a reply is kept until it is taken, and is taken once'],
    harness: breakStreams((sound) => ({
      async answer(session, messageId, reply) {
        const outcome = await sound.answer(session, messageId, reply)
        await new Promise((resolve) => setImmediate(resolve))
        await sound.takeReply(session, messageId, { waitMs: 0 })
        return outcome
      },
    })),
  },
  {
    name: 'give a reply to everybody who asks for it',
    rejectedBy: ['a reply is kept until it is taken, and is taken once'],
    harness: breakStreams((sound) => {
      const replies = new Map<string, HilReply>()
      return {
        async takeReply(session, messageId, options) {
          const kept = replies.get(messageId)
          if (kept !== undefined) return { kind: 'reply', reply: kept }
          const read = await sound.takeReply(session, messageId, options)
          if (read.kind === 'reply') replies.set(messageId, read.reply)
          return read
        },
      }
    }),
  },
  {
    name: 'give a reply to all who wait for it together',
    rejectedBy: ['of many concurrent takers of a reply one gets it'],
    harness: breakStreams((sound) => {
      const taking = new Map<string, Promise<ReplyRead>>()
      return {
        takeReply(session, messageId, options) {
          const shared = taking.get(messageId) ?? sound.takeReply(session, messageId, options)
          taking.set(messageId, shared)
          return shared.finally(() => taking.delete(messageId))
        },
      }
    }),
  },
  {
    name: 'give a reply to whoever asks first',
    rejectedBy: ['several askers on one session each get their own reply'],
    harness: breakStreams((sound) => {
      const answered: string[] = []
      return {
        async answer(session, messageId, reply) {
          answered.push(messageId)
          return sound.answer(session, messageId, reply)
        },
        async takeReply(session, messageId, options) {
          const read = await sound.takeReply(session, messageId, { waitMs: 0 })
          if (read.kind !== 'empty' || options.waitMs === 0) return read
          for (const end = performance.now() + options.waitMs; performance.now() < end; ) {
            const first = answered.shift()
            if (first !== undefined) return sound.takeReply(session, first, { waitMs: 0 })
            await new Promise((resolve) => setTimeout(resolve, 5))
          }
          return { kind: 'empty' }
        },
      }
    }),
  },
  {
    name: 'take a reply back together with its question',
    rejectedBy: ['an answered question cannot be retracted, and its reply stays'],
    harness: breakStreams((sound) => ({
      async retract(session, messageId) {
        const taken = await sound.takeReply(session, messageId, { waitMs: 0 })
        return (await sound.retract(session, messageId)) || taken.kind === 'reply'
      },
    })),
  },
  {
    name: 'leave a question that was taken back where it is',
    rejectedBy: ['a retracted question is no longer open and cannot be answered'],
    harness: breakStreams(() => ({ retract: async () => true })),
  },
]

const MOST = 2n ** 64n - 1n
