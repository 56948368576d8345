import assert from 'node:assert/strict'
import type { ChannelCase } from './channel-case.ts'
import { assertFree, inTime, onFreshChannel, presented, refusedWith, shown } from './tools.ts'

/** The queue: questions that the loop presents are shown one at a time, in order. */
export const queueCases: readonly ChannelCase[] = [
  {
    name: 'presented questions are shown one at a time, in order',
    guarantee: 'C1',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const items = ['a', 'b', 'c'].map(presented)
        for (const item of items) channel.present(item)
        for (const { request, answers } of items) {
          assert.deepEqual(channel.pending, request)
          await channel.answer(request.questionId, true, { by: { kind: 'person', id: 'ann' } })
          assert.deepEqual(answers, [{ answer: true, by: { kind: 'person', id: 'ann' } }])
        }
        await assertFree(channel)
      }),
  },
  {
    name: 'a question that waits behind another can be answered or cancelled, and the one that is shown stays',
    guarantee: 'C5',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const [a, b, c] = [presented('a'), presented('b'), presented('c')]
        for (const item of [a, b, c]) channel.present(item)
        await assert.doesNotReject(channel.answer('q-b', true))
        await assert.doesNotReject(channel.cancel('c', { reason: 'lunch' }))
        assert.deepEqual([b.answers.length, c.cancels], [1, ['lunch']])
        assert.equal(channel.pending?.id, 'a')
        await refusedWith(channel.answer('q-b', true), 'stale_answer')
        await channel.answer('q-a', true)
        assert.equal(a.answers.length, 1)
        await assertFree(channel)
      }),
  },
  {
    name: 'a question id that two questions share answers neither; their own ids do',
    guarantee: 'C5',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const [a, b] = [presented('a'), presented('b')]
        const twin = { ...b, request: { ...b.request, questionId: a.request.questionId } }
        channel.present(a)
        channel.present(twin)
        await refusedWith(channel.answer('q-a', true), 'question_ambiguous')
        assert.deepEqual([a.answers, b.answers], [[], []])
        await channel.answer('b', false)
        await channel.answer('q-a', true)
        assert.deepEqual([a.answers[0]?.answer, b.answers[0]?.answer], [true, false])
      }),
  },
  {
    name: 'a question that is withdrawn makes way for the next one',
    guarantee: 'C1',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const [a, b, c] = [presented('a'), presented('b'), presented('c')]
        const places = [a, b, c].map((item) => channel.present(item))
        places[1]?.withdraw()
        assert.equal(channel.pending?.id, 'a')
        places[0]?.withdraw()
        assert.equal(channel.pending?.id, 'c')
        places[0]?.withdraw()
        places[2]?.withdraw()
        assert.equal(channel.pending, undefined)
        await refusedWith(channel.answer('q-c', true), 'stale_answer')
        assert.deepEqual([a.answers, b.answers, c.answers], [[], [], []])
      }),
  },
  {
    name: 'an answer that the asker refuses leaves the question shown, and the answerer gets the error',
    guarantee: 'C2',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const a = presented('a')
        let refusals = 0
        channel.present({
          ...a,
          submit: async (answer, by) => {
            refusals += 1
            if (refusals === 1) throw new Error('the store is full')
            await a.submit(answer, by)
          },
        })
        await assert.rejects(channel.answer('q-a', true), { message: 'the store is full' })
        assert.equal(channel.pending?.id, 'a')
        await channel.answer('q-a', false)
        assert.equal(a.answers[0]?.answer, false)
        await assertFree(channel)
      }),
  },
  {
    name: 'a cancel reaches the asker with its reason',
    guarantee: 'C3',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const a = presented('a')
        channel.present(a)
        await channel.cancel('q-a', { reason: 'lunch' })
        assert.deepEqual([a.cancels, a.answers], [['lunch'], []])
        await assertFree(channel)
      }),
  },
  {
    name: 'an asker gets one answer, however many come concurrently',
    guarantee: 'C3',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const a = presented('a')
        channel.present(a)
        const outcomes = await Promise.allSettled([true, false, true].map((answer) => channel.answer('q-a', answer)))
        assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
        assert.equal(a.answers.length, 1)
      }),
  },
  {
    name: 'a verb is refused while a presented question is shown',
    guarantee: 'C1',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        channel.present(presented('a'))
        await refusedWith(channel.confirm('Sure?'), 'channel_busy')
        assert.equal(channel.pending?.id, 'a')
      }),
  },
  {
    name: 'a presented question waits behind the question of a verb',
    guarantee: 'C1',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const asked = channel.confirm('Sure?')
        const first = await shown(channel)
        channel.present(presented('a'))
        assert.equal(channel.pending?.id, first.id)
        await channel.answer(first.questionId, true)
        assert.equal(await inTime(asked), true)
        assert.equal((await shown(channel, first.id)).id, 'a')
      }),
  },
]
