import assert from 'node:assert/strict'
import type { Streams } from '../../ports/streams.ts'
import { isPending, soon } from '../store-suite/tools.ts'
import type { StreamsCase } from './streams-case.ts'
import { idsOf, note, onSession, onTwoHandles, question } from './tools.ts'

const LONG = 30_000

/** Waiting. */
export const waitCases: readonly StreamsCase[] = [
  {
    name: 'a waiter for messages is woken by the next message, not by older ones or replies',
    guarantee: 'T7',
    run: (harness) =>
      onSession(harness, async (streams) => {
        const after = await streams.send('s', question('old'))
        const reading = [1, 2, 3].map(() => streams.read('s', { after, waitMs: LONG }))
        await streams.answer('s', 'old', 'yes')
        assert.equal(await isPending(Promise.race(reading)), true)
        await streams.send('s', note('new'))
        for (const read of reading) assert.deepEqual(idsOf(await soon(read)), ['new'])
      }),
  },
  {
    name: 'a waiter for a reply is woken by it, not by other replies or messages',
    guarantee: 'T7',
    run: (harness) =>
      onSession(harness, async (streams) => {
        for (const id of ['mine', 'other']) await streams.send('s', question(id))
        const taking = streams.takeReply('s', 'mine', { waitMs: LONG })
        await streams.answer('s', 'other', 'no')
        await streams.send('s', note('n'))
        assert.equal(await isPending(taking), true)
        await streams.answer('s', 'mine', 'yes')
        assert.deepEqual(await soon(taking), { kind: 'reply', reply: 'yes' })
      }),
  },
  {
    name: 'a waiter is woken through another handle, as by another process',
    guarantee: 'T7',
    run: (harness) =>
      onTwoHandles(harness, async (first, second) => {
        const reading = second.read('s', { after: '0', waitMs: LONG })
        await isPending(reading, 50)
        await first.send('s', question('q'))
        assert.deepEqual(idsOf(await soon(reading)), ['q'])
        const taking = first.takeReply('s', 'q', { waitMs: LONG })
        await isPending(taking, 50)
        assert.equal(await second.answer('s', 'q', 'yes'), 'answered')
        assert.deepEqual(await soon(taking), { kind: 'reply', reply: 'yes' })
        const last = second.read('s', { after: '0', waitMs: LONG })
        await isPending(last, 50)
        await first.close('s')
        assert.deepEqual(await soon(last), { kind: 'missing' })
      }),
  },
  {
    name: 'a write just as a wait begins is not missed',
    guarantee: 'T7',
    run: (harness) =>
      onSession(harness, async (streams) => {
        for (let round = 0; round < 60; round++) {
          const session = `just ${round}`
          await streams.open(session, { owner: 'ann', expireSeconds: 60 })
          const reading = streams.read(session, { after: '0', waitMs: LONG })
          if (round % 3 === 1) await Promise.resolve()
          if (round % 3 === 2) await new Promise((resolve) => setImmediate(resolve))
          await streams.send(session, question('q'))
          assert.deepEqual(idsOf(await soon(reading)), ['q'])
          const [taken] = await soon(
            Promise.all([streams.takeReply(session, 'q', { waitMs: LONG }), streams.answer(session, 'q', 'yes')]),
          )
          assert.deepEqual(taken, { kind: 'reply', reply: 'yes' })
        }
      }),
  },
  {
    name: 'a wait ends empty at its timeout',
    guarantee: 'T7',
    run: (harness) =>
      onSession(harness, async (streams) => {
        await streams.send('s', question('q'))
        // A timer and not a clock: a busy process makes what does not wait at all look slow.
        let isDue = false
        const timer = setTimeout(() => {
          isDue = true
        }, 100)
        const reads = await soon(
          Promise.all([
            streams.read('s', { after: '18446744073709551615', waitMs: 120 }),
            streams.takeReply('s', 'q', { waitMs: 120 }),
            streams.takeReply('s', 'unknown', { waitMs: 120 }),
          ]),
        )
        clearTimeout(timer)
        assert.ok(isDue, 'it ended early')
        assert.deepEqual(reads, [{ kind: 'empty' }, { kind: 'empty' }, { kind: 'empty' }])
        assert.deepEqual(await soon(streams.takeReply('s', 'q', { waitMs: 0 })), { kind: 'empty' })
      }),
  },
  {
    name: 'a wait ends when its signal fires, leaves nothing on it, and does not disturb others',
    guarantee: 'T7',
    run: (harness) =>
      onSession(harness, async (streams) => {
        await streams.send('s', question('q'))
        const { signal, added, fire } = countingSignal()
        const waiting = [
          streams.read('s', { after: '18446744073709551615', waitMs: LONG, signal }),
          streams.takeReply('s', 'q', { waitMs: LONG, signal }),
        ]
        const other = streams.takeReply('s', 'q', { waitMs: LONG })
        assert.equal(await isPending(Promise.race([...waiting, other])), true)
        fire()
        assert.deepEqual(await soon(Promise.all(waiting)), [{ kind: 'empty' }, { kind: 'empty' }])
        assert.equal(added(), 0, 'listeners are left on the signal')
        assert.deepEqual(await soon(streams.takeReply('s', 'q', { waitMs: LONG, signal })), { kind: 'empty' })
        await streams.answer('s', 'q', 'yes')
        assert.deepEqual(await soon(other), { kind: 'reply', reply: 'yes' })
      }),
  },
  {
    name: 'a wait that is over leaves nothing on its signal',
    guarantee: 'T7',
    run: (harness) =>
      onSession(harness, async (streams) => {
        const { signal, added } = countingSignal()
        const reading = streams.read('s', { after: '0', waitMs: LONG, signal })
        await isPending(reading, 30)
        await streams.send('s', question('q'))
        await soon(reading)
        await streams.takeReply('s', 'q', { waitMs: 30, signal })
        assert.equal(added(), 0)
      }),
  },
  {
    name: 'all waiters learn at once that their session was closed',
    guarantee: 'T7',
    run: (harness) =>
      onSession(harness, async (streams) => {
        await streams.send('s', question('q'))
        const waiting = waitingFor(streams)
        assert.equal(await isPending(Promise.race(waiting)), true)
        await streams.close('s')
        assert.deepEqual(await soon(Promise.all(waiting)), [{ kind: 'missing' }, { kind: 'missing' }])
      }),
  },
  {
    name: 'all waiters learn that their session expired, and none too early',
    guarantee: 'T7',
    run: (harness) =>
      onSession(
        harness,
        async (streams) => {
          await streams.send('s', question('q'))
          const waiting = waitingFor(streams)
          await streams.extend('s', { expireSeconds: 2 })
          assert.equal(await isPending(Promise.race(waiting), 1200), true)
          assert.deepEqual(await soon(Promise.all(waiting)), [{ kind: 'missing' }, { kind: 'missing' }])
        },
        1,
      ),
  },
  {
    name: 'all waits end empty when the streams are shut down',
    guarantee: 'T7',
    run: (harness) =>
      onSession(harness, async (streams) => {
        await streams.send('s', question('q'))
        const waiting = [...waitingFor(streams), ...waitingFor(streams)]
        assert.equal(await isPending(Promise.race(waiting), 50), true)
        await streams.shutdown()
        for (const read of await soon(Promise.all(waiting))) assert.deepEqual(read, { kind: 'empty' })
      }),
  },
  {
    name: 'many waiters on many sessions are each woken by their own session',
    guarantee: 'T7',
    run: (harness) =>
      onSession(harness, async (streams) => {
        const sessions = Array.from({ length: 300 }, (_, n) => `many ${n}`)
        await Promise.all(sessions.map((session) => streams.open(session, { owner: 'ann', expireSeconds: 60 })))
        await Promise.all(sessions.map((session) => streams.send(session, question(session))))
        const taking = sessions.map((session) => streams.takeReply(session, session, { waitMs: LONG }))
        assert.equal(await isPending(Promise.race(taking), 50), true)
        await Promise.all(sessions.map((session) => streams.answer(session, session, `for ${session}`)))
        assert.deepEqual(
          await soon(Promise.all(taking)),
          sessions.map((session) => ({ kind: 'reply', reply: `for ${session}` })),
        )
      }),
  },
]

function waitingFor(streams: Streams): Promise<unknown>[] {
  return [
    streams.read('s', { after: '18446744073709551615', waitMs: LONG }),
    streams.takeReply('s', 'q', { waitMs: LONG }),
  ]
}

/** A signal that counts its listeners. */
function countingSignal(): { signal: AbortSignal; added(): number; fire(): void } {
  const controller = new AbortController()
  const { signal } = controller
  const listeners = new Set<unknown>()
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  type Listening = typeof signal.addEventListener
  signal.addEventListener = ((...args: Parameters<Listening>) => {
    listeners.add(args[1])
    add(...args)
  }) as Listening
  signal.removeEventListener = ((...args: Parameters<Listening>) => {
    listeners.delete(args[1])
    remove(...args)
  }) as Listening
  return { signal, added: () => listeners.size, fire: () => controller.abort() }
}
