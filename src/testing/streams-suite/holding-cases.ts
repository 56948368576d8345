import assert from 'node:assert/strict'
import type { HilMessage } from '../../protocol/hil/hil.ts'
import type { StreamsCase } from './streams-case.ts'
import { allIds, assertCode, idsOf, messagesOf, note, onSession, onStreams, question, until } from './tools.ts'

const OPEN = { owner: 'ann', expireSeconds: 600 }

function forReviewers(id: string, ...reviewers: string[]): HilMessage {
  return { ...question(id), meta: { reviewers } }
}

/** The holder of a session, and its readers. */
export const holdingCases: readonly StreamsCase[] = [
  {
    name: 'a session can be taken over only for its owner, and keeps its content',
    guarantee: 'T9',
    run: (harness) =>
      onSession(harness, async (streams) => {
        for (const id of ['q', 'r']) await streams.send('s', question(id))
        await streams.answer('s', 'r', 'yes')
        await assertCode(streams.open('s', OPEN), 'hil_stream_exists')
        await assertCode(streams.open('s', { ...OPEN, owner: 'bob', takeOver: true }), 'hil_stream_exists')
        await streams.open('s', { ...OPEN, takeOver: true })
        assert.deepEqual(await allIds(streams), ['q'])
        assert.deepEqual(await streams.takeReply('s', 'r', { waitMs: 0 }), { kind: 'reply', reply: 'yes' })
        assert.equal((await streams.describe('s'))?.owner, 'ann')
      }),
  },
  {
    name: 'the former holder of a session that was taken over can neither extend nor close it',
    guarantee: 'T9',
    run: (harness) =>
      onStreams(harness, async (streams) => {
        const first = await streams.open('s', { ...OPEN, takeOver: true })
        assert.equal(await streams.extend('s', { expireSeconds: 600, holder: first }), true)
        const second = await streams.open('s', { ...OPEN, expireSeconds: 60, takeOver: true })
        assert.notEqual(second, first)
        assert.equal(await streams.extend('s', { expireSeconds: 6000, holder: first }), false)
        const left = ((await streams.describe('s'))?.expiresAt ?? 0) - Date.now()
        assert.ok(left < 120_000, 'it was extended by who had lost it')
        assert.equal(await streams.close('s', { holder: first }), false)
        assert.equal((await streams.describe('s'))?.owner, 'ann')
        assert.equal(await streams.extend('s', { expireSeconds: 60, holder: second }), true)
        assert.equal(await streams.close('s', { holder: second }), true)
        assert.equal(await streams.describe('s'), undefined)
      }),
  },
  {
    name: 'of many concurrent takeovers of a session one holds it',
    guarantee: 'T9',
    run: (harness) =>
      onStreams(harness, async (streams) => {
        const taking = Array.from({ length: 10 }, () => streams.open('s', { ...OPEN, takeOver: true }))
        const holders = await Promise.all(taking)
        const extended = await Promise.all(holders.map((holder) => streams.extend('s', { expireSeconds: 600, holder })))
        assert.equal(extended.filter(Boolean).length, 1)
      }),
  },
  {
    name: 'the sessions of a reader are the open ones that it owns, in its tenant',
    guarantee: 'T10',
    run: (harness) =>
      onStreams(harness, async (streams) => {
        const namesOf = async (of = streams) => (await of.sessions('ann')).map(({ session }) => session).sort()
        assert.deepEqual(await namesOf(), [])
        for (const session of ['a', 'b', 'c']) await streams.open(session, OPEN)
        await streams.open('of bob', { ...OPEN, owner: 'bob' })
        await streams.tenant('other').open('elsewhere', OPEN)
        assert.deepEqual(await namesOf(), ['a', 'b', 'c'])
        await streams.close('a')
        await streams.close('b')
        await streams.open('b', { ...OPEN, owner: 'bob' })
        await streams.extend('c', { expireSeconds: 0.05 })
        await until(async () => (await streams.describe('c')) === undefined, 'the expiry')
        assert.deepEqual(await namesOf(), [])
        assert.deepEqual(await namesOf(streams.tenant('other')), ['elsewhere'])
        await streams.open('a', OPEN)
        assert.deepEqual(await namesOf(), ['a'])
      }),
  },
  {
    name: 'a waiter for new sessions is woken when one is opened',
    guarantee: 'T10',
    run: (harness) =>
      onSession(harness, async (streams) => {
        const began = performance.now()
        const same = await streams.sessions('ann', { known: ['s'], waitMs: 50 })
        assert.deepEqual(same, [{ session: 's', owner: 'ann' }])
        const waiting = streams.sessions('ann', { known: ['s'], waitMs: 10_000 })
        await new Promise((resolve) => setTimeout(resolve, 100))
        await streams.open('t', OPEN)
        assert.deepEqual((await waiting).map(({ session }) => session).sort(), ['s', 't'])
        assert.ok(performance.now() - began < 5000, 'it was told late')
      }),
  },
  {
    name: 'a reviewer finds another owner’s session while a question in it names them',
    guarantee: 'T10',
    run: (harness) =>
      onSession(harness, async (streams) => {
        const named = async (reader: string) => (await streams.describe('s', { reader }))?.named === true
        await streams.send('s', forReviewers('q', 'bob', 'eve'))
        await streams.send('s', forReviewers('r', 'bob'))
        assert.deepEqual(await Promise.all(['bob', 'eve', 'joe'].map(named)), [true, true, false])
        assert.deepEqual(await streams.sessions('bob'), [{ session: 's', owner: 'ann' }])
        assert.deepEqual(await streams.sessions('joe'), [])
        await streams.answer('s', 'q', 'yes')
        assert.deepEqual(await Promise.all(['bob', 'eve'].map(named)), [true, false])
        await streams.retract('s', 'r')
        assert.deepEqual(await Promise.all(['bob', 'eve'].map(named)), [false, false])
        assert.deepEqual(await streams.sessions('bob'), [])
      }),
  },
  {
    name: 'a reviewer is found under each of their names, such as a group, and woken under each',
    guarantee: 'T10',
    run: (harness) =>
      onSession(harness, async (streams) => {
        const names = ['user:bob', 'group:finance']
        const named = async (asked: readonly string[]) =>
          (await streams.describe('s', { names: asked }))?.named === true
        const waiting = streams.sessions('bob', { names, known: [], waitMs: 10_000 })
        await new Promise((resolve) => setTimeout(resolve, 100))
        const began = performance.now()
        await streams.send('s', forReviewers('q', 'group:finance', 'eve'))
        assert.deepEqual(await waiting, [{ session: 's', owner: 'ann' }])
        assert.ok(performance.now() - began < 5000, 'it was told late')
        assert.deepEqual(await Promise.all([names, ['group:legal'], [], ['eve', 'x']].map(named)), [
          true,
          false,
          false,
          true,
        ])
        assert.deepEqual(await streams.sessions('bob', { names: ['group:legal'] }), [])
        // A name of a person owns nothing.
        assert.deepEqual(await streams.sessions('joe', { names: ['ann'] }), [])
        await streams.retract('s', 'q')
        assert.deepEqual(await streams.sessions('bob', { names }), [])
      }),
  },
  {
    name: 'reading after the last position returns only later messages',
    guarantee: 'T2',
    run: (harness) =>
      onSession(harness, async (streams) => {
        const last = async () => (await streams.describe('s', { last: true }))?.last ?? 'none'
        const beginning = await last()
        await streams.send('s', question('q'))
        assert.deepEqual(idsOf(await streams.read('s', { after: beginning })), ['q'])
        const after = await last()
        assert.deepEqual(await streams.read('s', { after }), { kind: 'empty' })
        await streams.send('s', question('r'))
        assert.deepEqual(idsOf(await streams.read('s', { after })), ['r'])
      }),
  },
  {
    name: 'a read that names an owner finds nothing in the session of another owner',
    guarantee: 'T10',
    run: (harness) =>
      onSession(harness, async (streams) => {
        await streams.send('s', question('q'))
        assert.deepEqual(await streams.read('s', { after: '0', owner: 'bob' }), { kind: 'missing' })
        assert.equal((await streams.read('s', { after: '0', owner: 'ann' })).kind, 'messages')
      }),
  },
  {
    name: 'a description has an open question for the owner of the session, and for nobody else',
    guarantee: 'T10',
    run: (harness) =>
      onSession(harness, async (streams) => {
        await streams.send('s', question('q'))
        await streams.send('s', note('n'))
        const look = (id: string, owner: string) => streams.describe('s', { question: { id, owner } })
        const plain = await streams.describe('s')
        const [asked] = messagesOf(await streams.pending('s'))
        assert.deepEqual(await look('q', 'ann'), { ...plain, question: asked })
        for (const id of ['n', 'other', '', 'owner', 'q:q']) assert.deepEqual(await look(id, 'ann'), plain)
        assert.deepEqual(await look('q', 'bob'), plain)
        await streams.answer('s', 'q', 'yes')
        assert.deepEqual(await look('q', 'ann'), plain)
      }),
  },
]
