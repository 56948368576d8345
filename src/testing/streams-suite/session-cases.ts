import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamsCase } from './streams-case.ts'
import { allIds, assertCode, assertGone, note, onSession, onStreams, question, until } from './tools.ts'

/** Opening, extending, closing and expiring. */
export const sessionCases: readonly StreamsCase[] = [
  {
    name: 'an opened session has its owner and expiry, and is empty',
    guarantee: 'T1',
    run: (harness) =>
      onSession(harness, async (streams) => {
        const described = await streams.describe('s')
        assert.equal(described?.owner, 'ann')
        const left = (described?.expiresAt ?? 0) - Date.now()
        assert.ok(Math.abs(left - 600_000) < 60_000, `it ends in ${left} ms`)
        assert.deepEqual(await streams.read('s', { after: '0' }), { kind: 'empty' })
        assert.deepEqual(await streams.pending('s'), { kind: 'empty' })
        await streams.ping()
      }),
  },
  {
    name: 'an open session is not opened again, and stays unchanged',
    guarantee: 'T1',
    run: (harness) =>
      onSession(harness, async (streams) => {
        await streams.send('s', question('q'))
        await assertCode(streams.open('s', { owner: 'bob', expireSeconds: 60 }), 'hil_stream_exists')
        assert.equal((await streams.describe('s'))?.owner, 'ann')
        assert.deepEqual(await allIds(streams), ['q'])
      }),
  },
  {
    name: 'of many concurrent opens of a session one succeeds',
    guarantee: 'T1',
    run: (harness) =>
      onStreams(harness, async (streams) => {
        const owners = Array.from({ length: 10 }, (_, n) => `owner ${n}`)
        const outcomes = await Promise.allSettled(
          owners.map((owner) => streams.open('s', { owner, expireSeconds: 60 })),
        )
        const opened = owners.filter((_, n) => outcomes[n]?.status === 'fulfilled')
        assert.equal(opened.length, 1)
        assert.equal((await streams.describe('s'))?.owner, opened[0])
      }),
  },
  {
    name: 'every call on a session that was never opened, or was closed, finds it missing',
    guarantee: 'T1',
    run: (harness) =>
      onSession(harness, async (streams) => {
        await assertGone(streams, 'never')
        await streams.send('s', question('q'))
        assert.equal(await streams.close('s'), true)
        await assertGone(streams, 's')
      }),
  },
  {
    name: 'every call on an expired session finds it missing',
    guarantee: 'T1',
    run: (harness) =>
      onSession(harness, async (streams) => {
        await streams.send('s', question('q'))
        await streams.send('s', question('other'))
        await streams.answer('s', 'q', 'yes')
        await streams.extend('s', { expireSeconds: 0.05 })
        await until(async () => (await streams.describe('s')) === undefined, 'the expiry')
        await assertGone(streams, 's')
      }),
  },
  {
    name: 'a reopened session is empty',
    guarantee: 'T1',
    run: (harness) =>
      onSession(harness, async (streams) => {
        for (const id of ['q', 'r']) await streams.send('s', question(id))
        await streams.answer('s', 'q', 'yes')
        await streams.close('s')
        await streams.open('s', { owner: 'bob', expireSeconds: 60 })
        assert.equal((await streams.describe('s'))?.owner, 'bob')
        assert.deepEqual(await allIds(streams), [])
        assert.deepEqual(await streams.pending('s'), { kind: 'empty' })
        assert.deepEqual(await streams.takeReply('s', 'q', { waitMs: 0 }), { kind: 'empty' })
        await streams.send('s', question('q'))
        assert.equal(await streams.answer('s', 'q', 'no'), 'answered')
      }),
  },
  {
    name: 'extending sets the expiry of the whole session, from now',
    guarantee: 'T1',
    run: (harness) =>
      onSession(
        harness,
        async (streams) => {
          await streams.send('s', question('q'))
          await streams.send('s', question('r'))
          await streams.answer('s', 'q', 'yes')
          assert.equal(await streams.extend('s', { expireSeconds: 600 }), true)
          const left = ((await streams.describe('s'))?.expiresAt ?? 0) - Date.now()
          assert.ok(Math.abs(left - 600_000) < 60_000, `it ends in ${left} ms`)
          await sleep(1600)
          assert.deepEqual(await allIds(streams), ['r'])
          assert.deepEqual(await streams.takeReply('s', 'q', { waitMs: 0 }), { kind: 'reply', reply: 'yes' })
          assert.equal(await streams.answer('s', 'r', 'no'), 'answered')
        },
        1.5,
      ),
  },
  {
    name: 'sending and answering do not extend a session',
    guarantee: 'T1',
    run: (harness) =>
      onSession(harness, async (streams) => {
        const before = await streams.describe('s')
        await streams.send('s', question('q'))
        await streams.answer('s', 'q', 'yes')
        await streams.takeReply('s', 'q', { waitMs: 0 })
        assert.deepEqual(await streams.describe('s'), before)
      }),
  },
  {
    name: 'invalid names and times are refused',
    guarantee: 'T1',
    run: (harness) =>
      onStreams(harness, async (streams) => {
        await assertCode(streams.open('', { owner: 'ann', expireSeconds: 60 }), 'input_invalid')
        await assertCode(streams.open('\ud800', { owner: 'ann', expireSeconds: 60 }), 'input_invalid')
        await assertCode(streams.open('s', { owner: '', expireSeconds: 60 }), 'input_invalid')
        for (const expireSeconds of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
          await assertCode(streams.open('s', { owner: 'ann', expireSeconds }), 'input_invalid')
        }
        assert.equal(await streams.describe('s'), undefined)
      }),
  },
  {
    name: 'every call fails after a shutdown, and shutting down again does nothing',
    guarantee: 'T1',
    run: (harness) =>
      onSession(harness, async (streams) => {
        await streams.shutdown()
        await streams.shutdown()
        await assertCode(streams.ping(), 'streams_closed')
        await assertCode(streams.open('other', { owner: 'ann', expireSeconds: 60 }), 'streams_closed')
        await assertCode(streams.send('s', note('n')), 'streams_closed')
        await assertCode(streams.read('s', { after: '0', waitMs: 60_000 }), 'streams_closed')
        await assertCode(streams.takeReply('s', 'q', { waitMs: 60_000 }), 'streams_closed')
        await assertCode(streams.answer('s', 'q', 'yes'), 'streams_closed')
        await assertCode(streams.tenant('other').describe('s'), 'streams_closed')
      }),
  },
]
