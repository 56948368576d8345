import assert from 'node:assert/strict'
import type { HitlCancelled, HitlTimedOut } from '../../protocol/errors/errors.ts'
import type { ChannelCase } from './channel-case.ts'
import { assertFree, inTime, onFreshChannel, pause, REFUND, refusedWith, shown } from './tools.ts'

/** The tolerance of deadlines. */
const SLACK_MS = 1_500

/** Ends without an answer: timeout, cancel, signal. */
export const endingCases: readonly ChannelCase[] = [
  {
    name: 'the timeout defaults to the channel’s; null means none; a number is used',
    guarantee: 'C3',
    run: (harness) =>
      onFreshChannel(
        harness,
        async (channel) => {
          assert.equal(channel.defaultTimeoutSeconds, 300)
          const seconds = [
            [{}, 300],
            [{ timeoutSeconds: null }, undefined],
            [{ timeoutSeconds: 99 }, 99],
            [{ timeoutSeconds: 0.5 }, 0.5],
          ] as const
          for (const [options, expected] of seconds) {
            const before = Date.now()
            const asked = channel.confirm('Sure?', options)
            const { questionId, expiresAt } = await shown(channel)
            if (expected === undefined) assert.equal(expiresAt, undefined)
            else {
              assert.ok(expiresAt, 'the deadline is not shown')
              const off = Date.parse(expiresAt) - before - expected * 1000
              assert.ok(off > -5 && off < SLACK_MS, `${JSON.stringify(options)} is off by ${off} ms`)
            }
            await channel.answer(questionId, true)
            await inTime(asked)
          }
        },
        { defaultTimeoutSeconds: 300 },
      ),
  },
  {
    name: 'an unanswered question ends at its timeout, which the error names',
    guarantee: 'C3',
    run: (harness) =>
      onFreshChannel(
        harness,
        async (channel) => {
          const started = performance.now()
          assert.equal((await refusedWith<HitlTimedOut>(channel.confirm('Sure?'), 'hitl_timed_out')).seconds, 0.02)
          assert.ok(performance.now() - started >= 15, 'it did not wait')
          await assertFree(channel)
          const own = await refusedWith<HitlTimedOut>(
            channel.approve(REFUND, { timeoutSeconds: 0.03 }),
            'hitl_timed_out',
          )
          assert.equal(own.seconds, 0.03)
          await assertFree(channel)
        },
        { defaultTimeoutSeconds: 0.02 },
      ),
  },
  {
    name: 'null overrides a default timeout',
    guarantee: 'C3',
    run: (harness) =>
      onFreshChannel(
        harness,
        async (channel) => {
          const asked = channel.confirm('Sure?', { timeoutSeconds: null })
          await pause(60)
          await channel.answer((await shown(channel)).questionId, true)
          assert.equal(await inTime(asked), true)
        },
        { defaultTimeoutSeconds: 0.01 },
      ),
  },
  {
    name: 'a timeout of 0 ends at once, and the channel is free after it',
    guarantee: 'C3',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const error = await refusedWith<HitlTimedOut>(channel.confirm('Sure?', { timeoutSeconds: 0 }), 'hitl_timed_out')
        assert.equal(error.seconds, 0)
        await assertFree(channel)
        const asked = channel.confirm('Again?')
        await channel.answer((await shown(channel)).questionId, true)
        assert.equal(await inTime(asked), true)
      }),
  },
  {
    name: 'an invalid timeout is refused, and nothing is asked',
    guarantee: 'C3',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        for (const timeoutSeconds of [-1, Number.NaN, Number.POSITIVE_INFINITY, '5' as never]) {
          await refusedWith((async () => channel.confirm('Sure?', { timeoutSeconds }))(), 'input_invalid')
          assert.equal(channel.pending, undefined)
        }
      }),
  },
  {
    name: 'an answer after the timeout is stale',
    guarantee: 'C3',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const asked = refusedWith(channel.confirm('Sure?', { timeoutSeconds: 0.01 }), 'hitl_timed_out')
        const { questionId } = await shown(channel)
        await asked
        await refusedWith(channel.answer(questionId, true), 'stale_answer')
      }),
  },
  {
    name: 'a cancelled question rejects its waiter with the reason',
    guarantee: 'C3',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        for (const [options, reason] of [[{ reason: 'lunch' }, 'lunch'] as const, [undefined, 'cancelled'] as const]) {
          const asked = refusedWith<HitlCancelled>(channel.confirm('Sure?'), 'hitl_cancelled')
          await channel.cancel((await shown(channel)).questionId, options)
          assert.equal((await asked).reason, reason)
          await assertFree(channel)
        }
      }),
  },
  {
    name: 'a signal ends the wait, and the channel is free after it',
    guarantee: 'C3',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const stop = new AbortController()
        const asked = refusedWith(channel.confirm('Sure?', { signal: stop.signal }), 'hitl_aborted')
        const { questionId } = await shown(channel)
        stop.abort()
        await asked
        await assertFree(channel)
        await refusedWith(channel.answer(questionId, true), 'stale_answer')
      }),
  },
  {
    name: 'with a signal that has already fired the question is shown once and then aborted',
    guarantee: 'C3',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const seen: (string | undefined)[] = []
        channel.subscribe((request) => seen.push(request.prompt))
        await refusedWith(channel.confirm('Sure?', { signal: AbortSignal.abort() }), 'hitl_aborted')
        assert.deepEqual(seen, ['Sure?'])
        await assertFree(channel)
      }),
  },
  {
    name: 'of an answer and a signal in the same tick the answer wins',
    guarantee: 'C3',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const stop = new AbortController()
        const asked = channel.confirm('Sure?', { signal: stop.signal })
        asked.catch(() => undefined)
        const { questionId } = await shown(channel)
        const answered = channel.answer(questionId, true)
        stop.abort()
        await inTime(answered)
        assert.equal(await inTime(asked), true)
      }),
  },
  {
    name: 'a signal that fires after the answer changes nothing',
    guarantee: 'C3',
    run: (harness) =>
      onFreshChannel(harness, async (channel) => {
        const stop = new AbortController()
        const asked = channel.confirm('Sure?', { signal: stop.signal })
        await channel.answer((await shown(channel)).questionId, true)
        assert.equal(await inTime(asked), true)
        const next = channel.confirm('Next?')
        const { questionId } = await shown(channel)
        stop.abort()
        await channel.answer(questionId, false)
        assert.equal(await inTime(next), false)
      }),
  },
]
