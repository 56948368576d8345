import { type BrokenStreams, breakStreams } from './broken-streams.ts'

/** Streams that keep too little or too much, or mix up holders and readers. */
export const brokenHolding: readonly BrokenStreams[] = [
  {
    name: 'answer first and tell the other readers later',
    rejectedBy: [
      'a notice comes in the same step as the answer that it is about, and only with the answer that counts',
    ],
    harness: breakStreams((sound) => ({
      async answer(session, messageId, reply, { notice, ...options } = {}) {
        const outcome = await sound.answer(session, messageId, reply, options)
        if (notice) setTimeout(() => sound.send(session, notice).catch(() => undefined), 1)
        return outcome
      },
    })),
  },
  {
    name: 'put a notice also about what was over before',
    rejectedBy: ['a notice comes in the same step as the retraction that it is about, and wakes who reads'],
    harness: breakStreams((sound) => ({
      async retract(session, messageId, { notice } = {}) {
        const taken = await sound.retract(session, messageId)
        if (notice) await sound.send(session, notice)
        return taken
      },
    })),
  },
  {
    name: 'say of every answer that somebody waits for it',
    rejectedBy: ['an answer that nobody waits for is stored, and said to be unheard if that is asked for'],
    harness: breakStreams((sound) => ({
      answer: (session, messageId, reply, { notice } = {}) =>
        sound.answer(session, messageId, reply, notice ? { notice } : {}),
    })),
  },
  {
    name: 'let who asked wait for a question that was retracted',
    rejectedBy: ['who asks for it is told at once that a question was retracted, also while waiting'],
    harness: breakStreams((sound) => ({
      takeReply: (session, messageId, { waitMs }) =>
        sound.takeReply(session, messageId, { waitMs: Math.min(waitMs, 50) }),
    })),
  },
  {
    name: 'drop the oldest message, also if it is a question',
    rejectedBy: ['of many notifications the last thousand are kept, and every question, wherever it was asked'],
    harness: breakStreams((sound) => {
      let sent = 0
      return {
        async send(session, message) {
          const position = await sound.send(session, message)
          if (++sent > 1000) await sound.retract(session, 'first')
          return position
        },
      }
    }),
  },
  {
    name: 'do not tell that notifications were dropped',
    rejectedBy: ['who reads after a position behind which notifications were dropped is told so'],
    harness: breakStreams((sound) => ({
      async read(session, options) {
        const read = await sound.read(session, options)
        if (read.kind !== 'messages') return read
        const { gap: _told, ...rest } = read
        return rest
      },
    })),
  },
  {
    name: 'begin anew when a session is taken over',
    rejectedBy: ['a session that is taken over goes on with all that is in it, and only for its owner'],
    harness: breakStreams((sound) => ({
      async open(session, options) {
        if (options.takeOver) await sound.close(session)
        return sound.open(session, options)
      },
    })),
  },
  {
    name: 'let everybody close and extend a session',
    rejectedBy: [
      'who held a session before it was taken over can neither extend nor close it',
      'of many who take a session over at once, one holds it',
    ],
    harness: breakStreams((sound) => ({
      extend: (session, { expireSeconds }) => sound.extend(session, { expireSeconds }),
      close: (session) => sound.close(session),
    })),
  },
  {
    name: 'list sessions that are over or somebody else’s',
    rejectedBy: ['somebody’s sessions are those that are theirs and open, in their tenant'],
    harness: breakStreams((sound) => {
      const listed = new Set<string>()
      return {
        async open(session, options) {
          const holder = await sound.open(session, options)
          listed.add(session)
          return holder
        },
        sessions: async (owner) => [...listed].map((session) => ({ session, owner })),
      }
    }),
  },
  {
    name: 'let who waits for sessions wait until the time is up',
    rejectedBy: ['who waits for other sessions than those that are known is told when one is opened'],
    harness: breakStreams((sound) => ({
      async sessions(reader, options = {}) {
        await new Promise((resolve) => setTimeout(resolve, options.waitMs ?? 0))
        return sound.sessions(reader)
      },
    })),
  },
  {
    name: 'show a session to everybody who was ever named in it',
    rejectedBy: ['a reviewer finds a session of somebody else as long as a question there is for them'],
    harness: breakStreams((sound) => {
      const named = new Set<string>()
      return {
        async send(session, message) {
          for (const name of message.meta?.reviewers ?? []) named.add(name)
          return sound.send(session, message)
        },
        async describe(session, options = {}) {
          const facts = await sound.describe(session, options)
          return facts && named.has(options.reader ?? '') ? { ...facts, named: true } : facts
        },
      }
    }),
  },
  {
    name: 'do not know where a session ends',
    rejectedBy: ['reading after the last position shows what is sent from then on'],
    harness: breakStreams((sound) => ({
      async describe(session, options) {
        const facts = await sound.describe(session, options)
        return facts?.last === undefined ? facts : { ...facts, last: '0' }
      },
    })),
  },
  {
    name: 'show what is somebody else’s',
    rejectedBy: ['a read that names an owner finds nothing in a session of somebody else'],
    harness: breakStreams((sound) => ({
      read: (session, { owner: _anybody, ...options }) => sound.read(session, options),
    })),
  },
]
