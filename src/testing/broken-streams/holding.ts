import { type BrokenStreams, breakStreams } from './broken-streams.ts'

/** Streams that keep too little or too much, or mix up holders and readers. */
export const brokenHolding: readonly BrokenStreams[] = [
  {
    name: 'answer first and tell the other readers later',
    rejectedBy: ['a notice is stored atomically with its answer, and only with the answer that wins'],
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
    rejectedBy: ['a notice is stored atomically with its retraction, and wakes readers'],
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
    rejectedBy: ['an answer without a waiter is stored, and reported as unheard on request'],
    harness: breakStreams((sound) => ({
      answer: (session, messageId, reply, { notice } = {}) =>
        sound.answer(session, messageId, reply, notice ? { notice } : {}),
    })),
  },
  {
    name: 'let who asked wait for a question that was retracted',
    rejectedBy: ['with orRetracted a waiter learns at once that its question was retracted'],
    harness: breakStreams((sound) => ({
      takeReply: (session, messageId, { waitMs }) =>
        sound.takeReply(session, messageId, { waitMs: Math.min(waitMs, 50) }),
    })),
  },
  {
    name: 'drop the oldest message, also if it is a question',
    rejectedBy: ['the last thousand notifications are kept, and every question'],
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
    rejectedBy: ['a read from a position before dropped notifications reports the gap'],
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
    rejectedBy: ['a session can be taken over only for its owner, and keeps its content'],
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
      'the former holder of a session that was taken over can neither extend nor close it',
      'of many concurrent takeovers of a session one holds it',
    ],
    harness: breakStreams((sound) => ({
      extend: (session, { expireSeconds }) => sound.extend(session, { expireSeconds }),
      close: (session) => sound.close(session),
    })),
  },
  {
    name: 'list sessions that are over or somebody else’s',
    rejectedBy: ['the sessions of a reader are the open ones that it owns, in its tenant'],
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
    rejectedBy: ['a waiter for new sessions is woken when one is opened'],
    harness: breakStreams((sound) => ({
      async sessions(reader, options = {}) {
        await new Promise((resolve) => setTimeout(resolve, options.waitMs ?? 0))
        return sound.sessions(reader)
      },
    })),
  },
  {
    name: 'show a session to everybody who was ever named in it',
    rejectedBy: ['a reviewer finds another owner’s session while a question in it names them'],
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
    name: 'know people by their id alone',
    rejectedBy: ['a reviewer is found under each of their names, such as a group, and woken under each'],
    harness: breakStreams((sound) => ({
      describe: (session, { names: _names, ...options } = {}) => sound.describe(session, options),
      sessions: (reader, { names: _names, ...options } = {}) =>
        sound.sessions(reader, { ...options, waitMs: Math.min(500, options.waitMs ?? 0) }),
    })),
  },
  {
    name: 'do not know where a session ends',
    rejectedBy: ['reading after the last position returns only later messages'],
    harness: breakStreams((sound) => ({
      async describe(session, options) {
        const facts = await sound.describe(session, options)
        return facts?.last === undefined ? facts : { ...facts, last: '0' }
      },
    })),
  },
  {
    name: 'show what is somebody else’s',
    rejectedBy: ['a read that names an owner finds nothing in the session of another owner'],
    harness: breakStreams((sound) => ({
      read: (session, { owner: _anybody, ...options }) => sound.read(session, options),
    })),
  },
  {
    name: 'hand a question to anybody who asks about its session',
    rejectedBy: ['a description has an open question for the owner of the session, and for nobody else'],
    harness: breakStreams((sound) => ({
      async describe(session, options = {}) {
        const { question, ...rest } = options
        const facts = await sound.describe(session, rest)
        return facts && question
          ? sound.describe(session, { ...rest, question: { ...question, owner: facts.owner } })
          : facts
      },
    })),
  },
]
