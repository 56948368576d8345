import assert from 'node:assert/strict'
import type { Channel, WaitEnding } from '../../ports/channel.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import type { ChannelCase } from './channel-case.ts'
import { assertFree, inTime, onFreshChannel, pause, presented, REFUND, refusedWith, shown } from './tools.ts'

const ANSWERS = { confirm: true, approve: { type: 'approve' }, ask: { name: 'Ann' } }

/** Subscribers and observers. */
export const watchCases: readonly ChannelCase[] = [
  {
    name: 'a subscriber gets each question in order, and nothing after it unsubscribed',
    guarantee: 'C4',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const seen: (string | undefined)[] = []
        const stop = channel.subscribe((request) => seen.push(request.prompt))
        for (const prompt of ['one', 'two']) await answerOne(channel, prompt)
        channel.present(presented('a')).withdraw()
        stop()
        await answerOne(channel, 'three')
        assert.deepEqual(seen, ['one', 'two', 'a?'])
      }),
  },
  {
    name: 'a late subscriber gets the question that is shown',
    guarantee: 'C4',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const asked = channel.confirm('Sure?')
        const { id, questionId } = await shown(channel)
        const seen: string[] = []
        channel.subscribe((request) => seen.push(request.id))
        assert.deepEqual(seen, [id])
        await channel.answer(questionId, true)
        await inTime(asked)
        assert.deepEqual(seen, [id])
      }),
  },
  {
    name: 'a subscriber that another one adds gets the question that is shown once',
    guarantee: 'C4',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const seen: string[] = []
        const stop = channel.subscribe(() => {
          stop()
          channel.subscribe((request) => seen.push(request.id))
        })
        channel.present(presented('a'))
        assert.deepEqual(seen, ['a'])
        await channel.answer('q-a', true)
      }),
  },
  {
    name: 'a subscriber gets a question when it becomes the first',
    guarantee: 'C4',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const seen: string[] = []
        channel.subscribe((request) => seen.push(request.id))
        channel.present(presented('a'))
        channel.present(presented('b'))
        assert.deepEqual(seen, ['a'])
        await channel.answer('q-a', true)
        assert.deepEqual(seen, ['a', 'b'])
      }),
  },
  {
    name: 'a subscriber can answer at once',
    guarantee: 'C4',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const answers: Promise<void>[] = []
        channel.subscribe((request) => {
          answers.push(channel.answer(request.questionId, true))
        })
        assert.equal(await inTime(channel.confirm('Sure?')), true)
        await inTime(Promise.all(answers))
        await assertFree(channel)
      }),
  },
  {
    name: 'a listener can answer its question at once or later, and the question is shown by then',
    guarantee: 'C5',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        for (const wait of [() => undefined, () => Promise.resolve(), () => pause(2)]) {
          for (const ask of [
            () => channel.confirm('Sure?', { timeoutSeconds: 60 }),
            () => channel.approve(REFUND, { timeoutSeconds: 60 }),
            () => channel.ask([{ key: 'name', prompt: 'Name?' }], { timeoutSeconds: 60 }),
          ]) {
            const heard: Promise<void>[] = []
            const stop = channel.observe({
              asked: ({ id, kind }) => {
                assert.equal(channel.pending?.id, id)
                const answering = async (): Promise<void> => {
                  const waiting = wait()
                  if (waiting) await waiting
                  await channel.answer(id, ANSWERS[kind])
                }
                heard.push(answering())
              },
              settled: () => undefined,
            })
            await inTime<unknown>(ask())
            await inTime(Promise.all(heard))
            assert.equal(heard.length, 1)
            stop()
            await assertFree(channel)
          }
        }
      }),
  },
  {
    name: 'a subscriber or observer that throws, or changes its argument, has no effect on others',
    guarantee: 'C4',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const seen: (string | undefined)[] = []
        const meddle = (request: HitlRequest): void => {
          request.prompt = 'changed'
          throw new Error('listener')
        }
        channel.subscribe(meddle)
        channel.observe({ asked: meddle, settled: meddle })
        channel.subscribe((request) => seen.push(request.prompt))
        await assert.doesNotReject(answerOne(channel, 'Sure?'))
        assert.deepEqual(seen, ['Sure?'])
      }),
  },
  {
    name: 'observers get each question once, and exactly one ending for each',
    guarantee: 'C3',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const told: [string | undefined, WaitEnding | 'asked'][] = []
        channel.observe({
          asked: ({ prompt }) => told.push([prompt, 'asked']),
          settled: ({ prompt }, ending) => told.push([prompt, ending]),
        })
        await answerOne(channel, 'answered')
        const cancelled = refusedWith(channel.confirm('cancelled'), 'hitl_cancelled')
        await channel.cancel((await shown(channel)).questionId)
        await cancelled
        await refusedWith(channel.confirm('late', { timeoutSeconds: 0 }), 'hitl_timed_out')
        await refusedWith(channel.confirm('stopped', { signal: AbortSignal.abort() }), 'hitl_aborted')
        await pause(5)
        assert.deepEqual(told, [
          ['answered', 'asked'],
          ['answered', { answer: true }],
          ['cancelled', 'asked'],
          ['cancelled', { ended: 'cancelled' }],
          ['late', 'asked'],
          ['late', { ended: 'timed_out' }],
          ['stopped', 'asked'],
          ['stopped', { ended: 'aborted' }],
        ])
      }),
  },
  {
    name: 'observers get no presented questions, and nothing after they unsubscribed',
    guarantee: 'C3',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        let told = 0
        const count = (): void => {
          told += 1
        }
        const stop = channel.observe({ asked: count, settled: count })
        channel.present(presented('a'))
        await channel.answer('q-a', true)
        stop()
        await answerOne(channel, 'Sure?')
        assert.equal(told, 0)
      }),
  },
]

async function answerOne(channel: Channel, prompt: string): Promise<void> {
  const asked = channel.confirm(prompt)
  await channel.answer((await shown(channel)).questionId, true)
  assert.equal(await inTime(asked), true)
  await assertFree(channel)
}
