import assert from 'node:assert/strict'
import type { StreamsCase } from './streams-case.ts'
import { allIds, note, onSession, question } from './tools.ts'

/** What readers and askers learn about settled questions. */
export const settlingCases: readonly StreamsCase[] = [
  {
    name: 'a notice comes in the same step as the answer that it is about, and only with the answer that counts',
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
    name: 'a notice comes in the same step as the retraction that it is about, and wakes who reads',
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
    name: 'who asks for it is told at once that a question was retracted, also while waiting',
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
    name: 'an answer that nobody waits for is stored, and said to be unheard if that is asked for',
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
]
