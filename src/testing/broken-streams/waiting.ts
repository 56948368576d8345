import { type BrokenStreams, breakStreams } from './broken-streams.ts'

/** Streams that wake no waiter, or the wrong one. */
export const brokenWaiting: readonly BrokenStreams[] = [
  {
    name: 'never wait',
    rejectedBy: [
      'a waiter for messages is woken by the next message, not by older ones or replies',
      'a waiter for a reply is woken by it, not by other replies or messages',
      'a wait ends empty at its timeout',
    ],
    harness: breakStreams((sound) => ({
      read: (session, options) => sound.read(session, { ...options, waitMs: 0 }),
      takeReply: (session, messageId, options) => sound.takeReply(session, messageId, { ...options, waitMs: 0 }),
    })),
  },
  {
    name: 'never wake a waiter before its time is up',
    rejectedBy: ['a waiter for a reply is woken by it, not by other replies or messages'],
    harness: breakStreams((sound) => ({
      async takeReply(session, messageId, options) {
        if (options.waitMs > 0) await pause(options.waitMs)
        return sound.takeReply(session, messageId, { waitMs: 0 })
      },
    })),
  },
  {
    name: 'look first and begin to listen later',
    rejectedBy: ['a write just as a wait begins is not missed'],
    harness: breakStreams((sound) => {
      /** The listeners. They miss messages sent before they were added. */
      const listening = new Set<() => void>()
      return {
        async send(session, message) {
          const position = await sound.send(session, message)
          for (const wake of listening) wake()
          return position
        },
        async read(session, { waitMs = 0, ...options }) {
          const read = await sound.read(session, options)
          if (read.kind !== 'empty' || waitMs === 0) return read
          await pause(2)
          await new Promise<void>((resolve) => {
            listening.add(resolve)
            setTimeout(resolve, waitMs).unref()
          })
          return sound.read(session, options)
        },
      }
    }),
  },
  {
    name: 'do not let go of a waiter whose signal fires',
    rejectedBy: ['a wait ends when its signal fires, leaves nothing on it, and does not disturb others'],
    harness: breakStreams((sound) => ({
      takeReply: (session, messageId, { waitMs }) => sound.takeReply(session, messageId, { waitMs }),
    })),
  },
  {
    name: 'leave listeners on signals',
    rejectedBy: ['a wait that is over leaves nothing on its signal'],
    harness: breakStreams((sound) => ({
      read(session, options) {
        options.signal?.addEventListener('abort', () => undefined)
        return sound.read(session, options)
      },
    })),
  },
  {
    name: 'do not tell those who wait that their session was closed',
    rejectedBy: ['all waiters learn at once that their session was closed'],
    harness: breakStreams((sound) => ({
      async takeReply(session, messageId, options) {
        const read = await sound.takeReply(session, messageId, options)
        if (read.kind === 'missing' && options.waitMs > 0) await pause(options.waitMs)
        return read
      },
    })),
  },
  {
    name: 'do not tell those who wait that their session expired',
    rejectedBy: ['all waiters learn that their session expired, and none too early'],
    harness: breakStreams((sound) => ({
      async read(session, options) {
        const read = await sound.read(session, options)
        return read.kind === 'missing' && (options.waitMs ?? 0) > 0 ? { kind: 'empty' } : read
      },
    })),
  },
  {
    name: 'keep who waits when they are shut down',
    rejectedBy: ['all waits end empty when the streams are shut down'],
    harness: breakStreams((sound) => ({
      async takeReply(session, messageId, options) {
        const read = await sound.takeReply(session, messageId, options)
        const closed = await sound.ping().then(
          () => false,
          () => true,
        )
        if (closed) await pause(options.waitMs)
        return read
      },
    })),
  },
]

/** A pause that does not keep a test alive. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
}
