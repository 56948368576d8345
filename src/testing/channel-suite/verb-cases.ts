import assert from 'node:assert/strict'
import type { Question } from '../../protocol/request.ts'
import type { ChannelCase } from './channel-case.ts'
import { assertFree, inTime, onFreshChannel, REFUND, refusedWith, shown } from './tools.ts'

/** The verbs: what they show and what they resolve to. */
export const verbCases: readonly ChannelCase[] = [
  {
    name: 'confirm shows its prompt and details, and resolves to the answer',
    guarantee: 'C1',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        for (const answer of [true, false]) {
          const asked = channel.confirm('Sure?', { details: { rule: 7 } })
          const request = await shown(channel)
          assert.equal(request.kind, 'confirm')
          assert.equal(request.status, 'open')
          assert.equal(request.prompt, 'Sure?')
          assert.deepEqual(request.details, { rule: 7 })
          await channel.answer(request.questionId, answer)
          assert.equal(await inTime(asked), answer)
          await assertFree(channel)
        }
      }),
  },
  {
    name: 'approve shows the call under its call id, and resolves to the decision',
    guarantee: 'C1',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const asked = channel.approve(REFUND, { details: { rule: 7 } })
        const request = await shown(channel)
        const { kind, questionId, toolName, toolCallId, args, details } = request
        assert.deepEqual(
          { kind, questionId, toolName, toolCallId, args, details },
          { kind: 'approve', questionId: 'call-1', ...REFUND, details: { rule: 7 } },
        )
        await channel.answer('call-1', { type: 'edit', args: { orderId: 43 } })
        assert.deepEqual(await inTime(asked), { type: 'edit', args: { orderId: 43 } })
        await assertFree(channel)
      }),
  },
  {
    name: 'ask shows the form, and resolves to the answers',
    guarantee: 'C1',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const asked = channel.ask(FORM)
        const request = await shown(channel)
        assert.equal(request.kind, 'ask')
        assert.deepEqual(request.questions, FORM)
        const answers = { size: 'L', toppings: ['ham', 'leek'], note: 'thin' }
        await channel.answer(request.questionId, answers)
        assert.deepEqual(await inTime(asked), answers)
      }),
  },
  {
    name: 'a question can be answered by its id as well as by its question id',
    guarantee: 'C1',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const asked = channel.approve(REFUND)
        const { id, questionId } = await shown(channel)
        assert.notEqual(id, questionId)
        await channel.answer(id, { type: 'approve' })
        assert.deepEqual(await inTime(asked), { type: 'approve' })
      }),
  },
  {
    name: 'the same question asked twice has two ids',
    guarantee: 'C1',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const seen: string[] = []
        for (let time = 0; time < 2; time++) {
          const asked = channel.confirm('Sure?')
          const { id, questionId } = await shown(channel)
          seen.push(id, questionId)
          await channel.answer(questionId, true)
          await inTime(asked)
        }
        assert.equal(seen[0] === seen[2] || seen[1] === seen[3], false, `ids repeat: ${seen.join(' ')}`)
      }),
  },
  {
    name: 'pending is a copy',
    guarantee: 'C1',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const asked = channel.approve(REFUND)
        const request = await shown(channel)
        request.args = { orderId: 1 }
        assert.deepEqual(channel.pending?.args, { orderId: 42 })
        await channel.answer('call-1', { type: 'approve' })
        await inTime(asked)
      }),
  },
  {
    name: 'a second verb is refused with the id of the first, which is not disturbed',
    guarantee: 'C1',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const first = channel.approve(REFUND)
        const busy = await Promise.all(
          [channel.confirm('Also?'), channel.ask(FORM), channel.approve({ ...REFUND, toolCallId: 'call-2' })].map(
            (second) => refusedWith<Error & { questionId: string } & never>(second, 'channel_busy'),
          ),
        )
        for (const error of busy) assert.equal((error as { questionId: string }).questionId, 'call-1')
        const { questionId } = await shown(channel)
        await refusedWith(channel.confirm('Still?'), 'channel_busy')
        await channel.answer(questionId, { type: 'approve' })
        assert.deepEqual(await inTime(first), { type: 'approve' })
        await assertFree(channel)
      }),
  },
  {
    name: 'a question that cannot be asked is refused and leaves the channel free',
    guarantee: 'C1',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const wrong = [
          () => channel.confirm(7 as never),
          () => channel.confirm('x', { details: { at: new Date(0) } as never }),
          () => channel.approve({ ...REFUND, args: { big: 1n } as never }),
          () => channel.ask([]),
          () => channel.ask([...FORM, FORM[0]!]),
          () => channel.ask([{ key: 'a' } as never]),
        ]
        for (const ask of wrong) {
          await assert.rejects(inTime(Promise.resolve(ask())), (error: Error & { code?: string }) =>
            /_invalid$/.test(error.code ?? ''),
          )
          assert.equal(channel.pending, undefined)
        }
        const asked = channel.confirm('And now?')
        await channel.answer((await shown(channel)).questionId, true)
        assert.equal(await inTime(asked), true)
      }),
  },
]

/** A form with a single choice, a multiple choice with free input, and a free text. */
export const FORM: Question[] = [
  {
    key: 'size',
    prompt: 'Size?',
    options: [
      { label: 'Medium', value: 'M' },
      { label: 'Large', value: 'L' },
    ],
  },
  {
    key: 'toppings',
    prompt: 'Toppings?',
    options: [
      { label: 'Ham', value: 'ham' },
      { label: 'Other', value: 'other', allowInput: true },
    ],
    multiSelect: true,
  },
  { key: 'note', prompt: 'Anything else?', required: false },
]
