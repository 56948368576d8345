import assert from 'node:assert/strict'
import type { HilMessage } from '../../protocol/hil/hil.ts'
import { retractionId } from '../../protocol/hil/hil-message.ts'
import type { StreamsCase } from './streams-case.ts'
import { allIds, note, onSession, question } from './tools.ts'

/** What readers and askers learn about settled questions. */
export const settlingCases: readonly StreamsCase[] = [
  {
    name: 'a notice is stored atomically with its answer, and only with the answer that wins',
    guarantee: 'T3',
    run: (harness) =>
      onSession(harness, async (streams) => {
        await streams.send('s', question('q'))
        assert.equal(await streams.answer('s', 'q', 'yes', { notice: note('over') }), 'answered')
        assert.deepEqual(await allIds(streams), ['over'])
        assert.equal(await streams.answer('s', 'q', 'no', { notice: note('again') }), 'unknown')
        assert.deepEqual(await allIds(streams), ['over'])
        assert.deepEqual(await streams.takeReply('s', 'q', { waitMs: 0 }), { kind: 'reply', reply: 'yes' })
      }),
  },
  {
    name: 'a notice is stored atomically with its retraction, and wakes readers',
    guarantee: 'T3',
    run: (harness) =>
      onSession(harness, async (streams) => {
        const asked = await streams.send('s', question('q'))
        const reading = streams.read('s', { after: asked, waitMs: 10_000 })
        assert.equal(await streams.retract('s', 'q', { notice: note('over') }), true)
        assert.equal((await reading).kind, 'messages')
        assert.equal(await streams.retract('s', 'q', { notice: note('again') }), false)
        assert.deepEqual(await allIds(streams), ['over'])
      }),
  },
  {
    name: 'with orRetracted a waiter learns at once that its question was retracted',
    guarantee: 'T7',
    run: (harness) =>
      onSession(harness, async (streams) => {
        await streams.send('s', question('q'))
        assert.deepEqual(await streams.takeReply('s', 'q', { waitMs: 0, orRetracted: true }), { kind: 'empty' })
        const began = performance.now()
        const waiting = streams.takeReply('s', 'q', { waitMs: 10_000, orRetracted: true })
        await streams.retract('s', 'q')
        assert.deepEqual(await waiting, { kind: 'unknown' })
        assert.ok(performance.now() - began < 5000, 'it was told late')
        assert.deepEqual(await streams.takeReply('s', 'q', { waitMs: 0 }), { kind: 'empty' })
      }),
  },
  {
    name: 'an answer without a waiter is stored, and reported as unheard on request',
    guarantee: 'T4',
    run: (harness) =>
      onSession(harness, async (streams) => {
        for (const id of ['q', 'r']) await streams.send('s', question(id))
        assert.equal(await streams.answer('s', 'q', 'yes', { listeners: true }), 'unheard')
        assert.deepEqual(await streams.takeReply('s', 'q', { waitMs: 0 }), { kind: 'reply', reply: 'yes' })
        const waiting = streams.takeReply('s', 'r', { waitMs: 10_000 })
        // The waiter may need a moment until it listens.
        await new Promise((resolve) => setTimeout(resolve, 200))
        assert.equal(await streams.answer('s', 'r', 'no', { listeners: true }), 'answered')
        assert.deepEqual(await waiting, { kind: 'reply', reply: 'no' })
      }),
  },
  {
    name: 'answerOwn, where there is one, answers for the owner alone, and leaves what a reviewer or a schema has a say in',
    guarantee: 'T3',
    run: (harness) =>
      onSession(harness, async (streams) => {
        const own = (id: string, owner: string) => streams.answerOwn?.('s', id, { reply: 'yes', owner })
        if (!streams.answerOwn) return
        await streams.send('s', question('q'))
        await streams.send('s', { ...question('r'), meta: { reviewers: ['bob'] } })
        await streams.send('s', { ...question('t'), reply_schema: { type: 'object' } } as HilMessage)
        for (const owner of ['bob', '']) assert.equal(await own('q', owner), 'look')
        for (const id of ['r', 't', 'unknown']) assert.equal(await own(id, 'ann'), 'look')
        assert.deepEqual(await allIds(streams), ['q', 'r', 't'])
        assert.notEqual(await own('q', 'ann'), 'look')
        assert.equal(await own('q', 'ann'), 'look')
        assert.deepEqual(await allIds(streams), ['r', 't', retractionId('q')])
        assert.deepEqual(await streams.takeReply('s', 'q', { waitMs: 0 }), { kind: 'reply', reply: 'yes', by: 'ann' })
        assert.equal(await streams.answerOwn('elsewhere', 'q', { reply: 'yes', owner: 'ann' }), 'look')
      }),
  },
]
