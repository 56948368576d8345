import type { Streams } from '../../ports/streams.ts'
import { type BrokenStreams, breakStreams } from './broken-streams.ts'

/** Streams with wrong sessions, positions or tenants. */
export const brokenSessions: readonly BrokenStreams[] = [
  {
    name: 'remember who opened a session first',
    rejectedBy: [
      'who reads is told whose messages these are, also when the session was opened again for somebody else',
    ],
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
    rejectedBy: ['what cannot name a tenant is refused, and nothing is stored under it'],
    harness: breakStreams((sound) => ({ tenant: (id) => sound.tenant(String(id) || 'default') })),
  },
  {
    name: 'let only half of a session expire',
    rejectedBy: ['a session that expired is gone for every call'],
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
    rejectedBy: ['a session that is open is not opened again, and stays as it is'],
    harness: breakStreams((sound) => ({
      async open(session, options) {
        await sound.close(session)
        return sound.open(session, options)
      },
    })),
  },
  {
    name: 'look before they open, in two steps',
    rejectedBy: ['of many who open a session at once, one does'],
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
    rejectedBy: ['extending puts the end of a whole session off, from now'],
    harness: breakStreams((sound) => ({
      extend: async (session) => (await sound.describe(session)) !== undefined,
    })),
  },
  {
    name: 'put the end off whenever something is sent',
    rejectedBy: ['sending and answering do not put the end off'],
    harness: breakStreams((sound) => ({
      async send(session, message) {
        await sound.extend(session, { expireSeconds: 900 })
        return sound.send(session, message)
      },
    })),
  },
  {
    name: 'go on after they were shut down',
    rejectedBy: ['streams that were shut down say so to every call, and shutting them down again does nothing'],
    harness: breakStreams(() => ({ shutdown: async () => undefined })),
  },
  {
    name: 'show every tenant the same sessions',
    rejectedBy: [
      'sessions of the same id are each tenant’s own',
      'who waits is not woken by the session of the same id of another tenant',
      'names that look alike when they are put together are different',
    ],
    harness: breakStreams((sound) => ({ tenant: (id) => sharedTenant(sound, id) })),
  },
  {
    name: 'put the names of tenant and session together with a colon',
    rejectedBy: ['names that look alike when they are put together are different'],
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
