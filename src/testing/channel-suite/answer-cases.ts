import assert from 'node:assert/strict'
import type { Channel } from '../../ports/channel.ts'
import type { HoldpointError } from '../../protocol/errors/errors.ts'
import type { ChannelCase } from './channel-case.ts'
import { inTime, onFreshChannel, REFUND, refusedWith, shown } from './tools.ts'
import { FORM } from './verb-cases.ts'

/** Answers: which are accepted, which are refused, and that the first one wins. */
export const answerCases: readonly ChannelCase[] = [
  {
    name: 'an answer to another question is stale, and the question stays open',
    guarantee: 'C2',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const asked = channel.confirm('Sure?')
        const { questionId } = await shown(channel)
        await refusedWith(channel.answer('another', true), 'stale_answer')
        await refusedWith(channel.cancel('another'), 'stale_answer')
        assert.equal(channel.pending?.questionId, questionId)
        await channel.answer(questionId, true)
        assert.equal(await inTime(asked), true)
      }),
  },
  {
    name: 'an answer or a cancel when nothing is asked, or after the answer, is stale',
    guarantee: 'C3',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        await refusedWith(channel.answer('call-1', true), 'stale_answer')
        await refusedWith(channel.cancel('call-1'), 'stale_answer')
        const asked = channel.confirm('Sure?')
        const { questionId } = await shown(channel)
        await channel.answer(questionId, true)
        await refusedWith(channel.answer(questionId, false), 'stale_answer')
        await refusedWith(channel.cancel(questionId), 'stale_answer')
        assert.equal(await inTime(asked), true)
      }),
  },
  {
    name: 'a confirm is answered with true or false only',
    guarantee: 'C2',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const asked = channel.confirm('Sure?')
        const { questionId } = await shown(channel)
        for (const answer of ['yes', 1, null, undefined, {}, []]) await invalid(channel, questionId, answer)
        await channel.answer(questionId, false)
        assert.equal(await inTime(asked), false)
      }),
  },
  {
    name: 'an approve is answered with a whole decision only',
    guarantee: 'C2',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const asked = channel.approve(REFUND)
        await shown(channel)
        const wrong = [true, 'approve', null, {}, { type: 'edit' }, { type: 'respond' }, { type: 'approve', args: {} }]
        for (const answer of wrong) {
          await refusedWith(channel.answer('call-1', answer), 'decision_invalid')
          assert.equal(channel.pending?.questionId, 'call-1')
        }
        await channel.answer('call-1', { type: 'reject', message: 'no' })
        assert.deepEqual(await inTime(asked), { type: 'reject', message: 'no' })
      }),
  },
  {
    name: 'a form accepts only fitting answers: keys, types, options, required, one or several',
    guarantee: 'C2',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const asked = channel.ask(FORM)
        const { questionId } = await shown(channel)
        const right = { size: 'M', toppings: ['ham'] }
        const wrong = [
          'M',
          null,
          [],
          {},
          { ...right, unknown: 'x' },
          { ...right, size: 'XXL' },
          { ...right, size: ['M'] },
          { ...right, size: '' },
          { ...right, size: 7 },
          { ...right, toppings: 'ham' },
          { ...right, toppings: [] },
          { ...right, toppings: [1] },
          { toppings: ['ham'] },
          { ...right, note: ['a'] },
          { ...right, note: null },
        ]
        for (const answer of wrong) await invalid(channel, questionId, answer)
        await channel.answer(questionId, { ...right, toppings: ['ham', 'pineapple'] })
        assert.deepEqual(await inTime(asked), { size: 'M', toppings: ['ham', 'pineapple'] })
      }),
  },
  {
    name: 'of ten concurrent answers exactly one is accepted, and the waiter gets it',
    guarantee: 'C3',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const asked = channel.approve(REFUND)
        await shown(channel)
        const given = Array.from({ length: 10 }, (_, n) => ({ type: 'respond', message: `answer ${n}` }))
        const outcomes = await inTime(Promise.allSettled(given.map((answer) => channel.answer('call-1', answer))))
        const taken = given.filter((_, n) => outcomes[n]?.status === 'fulfilled')
        assert.equal(taken.length, 1, `${taken.length} answers were taken`)
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected') assert.equal((outcome.reason as HoldpointError).code, 'stale_answer')
        }
        assert.deepEqual(await inTime(asked), taken[0])
      }),
  },
  {
    name: 'of a concurrent answer and cancel exactly one is accepted',
    guarantee: 'C3',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const asked = channel.confirm('Sure?').then(
          () => 'answered',
          (error: HoldpointError) => error.code,
        )
        const { questionId } = await shown(channel)
        const [answered, cancelled] = await inTime(
          Promise.allSettled([channel.answer(questionId, true), channel.cancel(questionId)]),
        )
        assert.notEqual(answered?.status, cancelled?.status)
        assert.equal(await inTime(asked), answered?.status === 'fulfilled' ? 'answered' : 'hitl_cancelled')
      }),
  },
]

async function invalid(channel: Channel, questionId: string, answer: unknown): Promise<void> {
  await refusedWith(channel.answer(questionId, answer), 'answer_invalid')
  assert.equal(channel.pending?.questionId, questionId, `${JSON.stringify(answer)} took the question away`)
}
