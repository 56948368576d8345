import type { Streams } from '../../ports/streams.ts'
import { type BrokenStreams, breakStreams } from './broken-streams.ts'

/** Streams with wrong sessions, positions or tenants. */
export const brokenSessions: readonly BrokenStreams[] = [
  {
    name: 'remember who opened a session first',
    rejectedBy: ['a read returns the owner of the messages, also after the session was reopened for another owner'],
    harness: breakStreams((sound) => {
      const owners = new Map<string, string>()
      return {
        async open(session, options) {
          const holder = await sound.open(session, options)
          if (!owners.has(session)) owners.set(session, options.owner)
          return holder
        },
        async read(session, options) {
          const read = await sound.read(session, options)
          return read.kind === 'messages' ? { ...read, owner: owners.get(session) ?? read.owner } : read
        },
      }
    }),
  },
  {
    name: 'take anything for a tenant',
    rejectedBy: ['an invalid tenant id is refused, and nothing is stored under it'],
    harness: breakStreams((sound) => ({ tenant: (id) => sound.tenant(String(id) || 'default') })),
  },
  {
    name: 'let only half of a session expire',
    rejectedBy: ['every call on an expired session finds it missing'],
    harness: breakStreams((sound) => {
      const replies = new Map<string, string>()
      return {
        async answer(session, messageId, reply) {
          const outcome = await sound.answer(session, messageId, reply)
          if (outcome === 'answered') replies.set(messageId, JSON.stringify(reply))
          return outcome
        },
        async takeReply(session, messageId, options) {
          const read = await sound.takeReply(session, messageId, options)
          const kept = replies.get(messageId)
          if (read.kind !== 'missing' || kept === undefined) return read
          return { kind: 'reply', reply: JSON.parse(kept) }
        },
      }
    }),
  },
  {
    name: 'open a session that is open',
    rejectedBy: ['an open session is not opened again, and stays unchanged'],
    harness: breakStreams((sound) => ({
      async open(session, options) {
        await sound.close(session)
        return sound.open(session, options)
      },
    })),
  },
  {
    name: 'look before they open, in two steps',
    rejectedBy: ['of many concurrent opens of a session one succeeds'],
    harness: breakStreams((sound) => ({
      async open(session, options) {
        if (await sound.describe(session)) return sound.open(session, options)
        await new Promise((resolve) => setImmediate(resolve))
        await sound.close(session)
        return sound.open(session, options)
      },
    })),
  },
  {
    name: 'do not put the end off',
    rejectedBy: ['extending sets the expiry of the whole session, from now'],
    harness: breakStreams((sound) => ({
      extend: async (session) => (await sound.describe(session)) !== undefined,
    })),
  },
  {
    name: 'put the end off whenever something is sent',
    rejectedBy: ['sending and answering do not extend a session'],
    harness: breakStreams((sound) => ({
      async send(session, message) {
        await sound.extend(session, { expireSeconds: 900 })
        return sound.send(session, message)
      },
    })),
  },
  {
    name: 'go on after they were shut down',
    rejectedBy: ['every call fails after a shutdown, and shutting down again does nothing'],
    harness: breakStreams(() => ({ shutdown: async () => undefined })),
  },
  {
    name: 'show every tenant the same sessions',
    rejectedBy: [
      'sessions of the same id are separate in each tenant',
      'a waiter is not woken by a session of the same id in another tenant',
      'names that are equal when joined are kept apart',
    ],
    harness: breakStreams((sound) => ({ tenant: (id) => sharedTenant(sound, id) })),
  },
  {
    name: 'put the names of tenant and session together with a colon',
    rejectedBy: ['names that are equal when joined are kept apart'],
    harness: breakStreams((sound) => ({ tenant: (id) => joined(sound, id) })),
  },
]

function sharedTenant(sound: Streams, id: string): Streams {
  return { ...sound, tenantId: id, tenant: (other) => sharedTenant(sound, other) }
}

function joined(sound: Streams, id: string): Streams {
  const nameOf = (session: string) => `${id}:${session}`
  return {
    ...sharedTenant(sound, id),
    open: (session, options) => sound.open(nameOf(session), options),
    close: (session) => sound.close(nameOf(session)),
    describe: (session) => sound.describe(nameOf(session)),
  }
}
