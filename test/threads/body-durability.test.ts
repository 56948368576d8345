import { describe, expect, it } from 'vitest'
import {
  HitlDurabilityNotGuaranteed,
  HitlError,
  memoryStore,
  openDesk,
  type Store,
  StoreFailed,
  type ToolContext,
} from '../../src/index.ts'
import { InputInvalid } from '../../src/ports.ts'
import { HitlChannelMissing } from '../../src/protocol/errors/errors.ts'
import { failedWith } from '../support/agents/failures.ts'
import { noting } from '../support/agents/noting-tools.ts'
import { resultsIn } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { scene, shown, shownAs } from '../support/agents/thread-scene.ts'
import { pause } from '../support/until.ts'

const resumable = { resumable: true }

describe('durability of waits inside bodies', () => {
  it('a tool that is not resumable fails the run with HitlDurabilityNotGuaranteed, and the channel is not wedged', async () => {
    const ask = noting('ask', (_, ctx) => ctx.confirm('Sure?').catch(() => 'swallowed'))
    const { open, model } = scene([calls(['c1', 'ask']), 'Done.'], [ask])
    const { thread, channel } = open('durable')
    const error = failedWith(await thread.prompt('go'), HitlDurabilityNotGuaranteed, 'durability_not_guaranteed')
    expect(error.toolName).toBe('ask')
    expect(model.requests).toHaveLength(1)
    expect(channel.pending).toBeUndefined()
    const asked = channel.confirm('Free?')
    await channel.answer((await shown(channel)).questionId, true)
    expect(await asked).toBe(true)
  })

  it.each([
    ['allowInsideCustomTool', 'durable', { allowInsideCustomTool: true }],
    ['a channel in memory', 'memory', {}],
  ] as const)('%s lets any tool wait', async (_, kind, options) => {
    const ask = noting('ask', (_args, ctx) => ctx.confirm('Sure?'))
    const { open } = scene([calls(['c1', 'ask']), 'Done.'], [ask])
    const { thread, channel } = open(kind, options)
    const prompting = thread.prompt('go')
    await channel.answer((await shown(channel)).questionId, true)
    expect(resultsIn((await prompting).messages)).toEqual([['c1', 'true']])
  })

  it('without a channel a wait is the developer’s mistake, unless the tool is resumable: then the thread pauses', async () => {
    const start = async (options: typeof resumable | Record<string, never>) => {
      const ask = noting('ask', (_, ctx) => ctx.confirm('Sure?'), options)
      const { agent, store } = scene([calls(['c1', 'ask'])], [ask])
      return agent.thread('t', { store }).prompt('go')
    }
    failedWith(await start({}), HitlChannelMissing, 'channel_missing')
    const paused = await start(resumable)
    expect(paused.status).toBe('suspended')
    expect(paused.requests).toMatchObject([{ kind: 'confirm', prompt: 'Sure?' }])
  })

  it('ctx.step in a tool that is not resumable is the developer’s mistake', async () => {
    const wrong = noting('wrong', (_, ctx) => ctx.step('one', () => 1))
    const { open } = scene([calls(['c1', 'wrong'])], [wrong])
    failedWith(await open().thread.prompt('go'), InputInvalid, 'input_invalid')
  })

  it('entered again: steps are not repeated, answers not asked again, over two pauses in a row', async () => {
    const did: string[] = []
    const deploy = noting(
      'deploy',
      async (_, ctx) => {
        const build = await ctx.step('build', () => {
          did.push('build')
          return { id: did.length }
        })
        const first = await ctx.confirm('Sure?', { details: build })
        await ctx.step('stage', () => {
          did.push('stage')
        })
        const second = await ctx.confirm('Sure?')
        await ctx.step('ship', () => did.push('ship'))
        return { first, second, build: build.id }
      },
      resumable,
    )
    const { open } = scene([calls(['c1', 'deploy']), 'Done.'], [deploy])
    const one = open()
    const prompting = one.thread.prompt('go')
    await shown(one.channel)
    await one.thread.detach()
    await prompting
    const two = open()
    const again = two.thread.respond({ answer: true, unbound: true })
    const second = await shown(two.channel)
    expect(second.questionId).toMatch(/\.1$/)
    await two.thread.detach()
    expect((await again).status).toBe('suspended')
    const result = await open().thread.respond({ answer: false, unbound: true })
    expect(JSON.parse(String(resultsIn(result.messages)[0]?.[1]))).toEqual({ first: true, second: false, build: 1 })
    expect(did).toEqual(['build', 'stage', 'ship'])
    expect(deploy.runs).toHaveLength(3)
  })

  it('entered again with another question: an error to the developer, not to the model', async () => {
    let prompt = 'Sure?'
    const ask = noting('ask', (_, ctx) => ctx.confirm(prompt), resumable)
    const { open, model } = scene([calls(['c1', 'ask']), 'Done.'], [ask])
    const { thread, channel } = open()
    const prompting = thread.prompt('go')
    await shown(channel)
    await thread.detach()
    await prompting
    prompt = 'Really?'
    const error = failedWith(
      await open().thread.respond({ answer: true, unbound: true }),
      HitlError,
      'durability_not_guaranteed',
    )
    expect(error.message).toContain('asked something else')
    expect(model.requests).toHaveLength(1)
    prompt = 'Sure?'
    expect((await open().thread.resume()).status).toBe('completed')
  })

  it('cancelled or late while nobody is there: refused without entering the body again', async () => {
    const ask = noting('ask', (_, ctx) => ctx.confirm('Sure?'), resumable)
    const { open, store } = scene([calls(['c1', 'ask']), 'Done.'], [ask])
    const { thread, channel } = open()
    const prompting = thread.prompt('go')
    const { id } = await shown(channel)
    await thread.detach()
    await prompting
    await openDesk({ store }).cancel(id, { reason: 'gone', by: { kind: 'person', id: 'ann' } })
    const result = await open().thread.resume()
    expect(resultsIn(result.messages)).toEqual([
      ['c1', 'Not finished: it asked a person something, and the question was withdrawn (gone).'],
    ])
    expect(ask.runs).toHaveLength(1)
  })

  it('a step without an end makes the call unknown, and a person is asked', async () => {
    const stop = new AbortController()
    const tries: number[] = []
    const risky = noting(
      'risky',
      (_, ctx) =>
        ctx.step('charge', async () => {
          tries.push(ctx.attempt)
          if (tries.length > 1) return 'charged'
          stop.abort()
          ctx.signal.throwIfAborted()
        }),
      resumable,
    )
    const { open } = scene([calls(['c1', 'risky']), 'Done.'], [risky])
    expect((await open().thread.prompt('go', { signal: stop.signal })).status).toBe('incomplete')
    const { thread, channel } = open()
    const resuming = thread.resume()
    expect(await shownAs(channel, 'c1')).toMatchObject({ kind: 'approve', reason: 'unknown_outcome' })
    expect(tries).toEqual([1])
    await channel.answer('c1', { type: 'approve' })
    expect(resultsIn((await resuming).messages)).toEqual([['c1', 'charged']])
    expect(tries).toEqual([1, 2])
  })
})

it('a store that cannot write what a body asks or does fails the run, and is not shown to the model as the tool’s failure', async () => {
  for (const act of [(ctx: ToolContext) => ctx.confirm('Sure?'), (ctx: ToolContext) => ctx.step('one', () => 1)]) {
    const store = memoryStore()
    let broken = false
    const flaky: Store = {
      ...store,
      append: (append) => (broken ? Promise.reject(new StoreFailed('disk full', undefined)) : store.append(append)),
    }
    const ask = noting(
      'ask',
      async (_, ctx) => {
        broken = true
        const done = await act(ctx).finally(() => {
          broken = false
        })
        return done
      },
      resumable,
    )
    const { open, model } = scene([calls(['c1', 'ask']), 'Done.'], [ask], { store: flaky })
    failedWith(await open().thread.prompt('go'), StoreFailed, 'store_failed')
    expect(model.requests).toHaveLength(1)
  }
})

it('a body that asks after its run was stopped is rejected without an unhandled rejection', async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', note)
  try {
    const stop = new AbortController()
    const ask = noting(
      'ask',
      async (_, ctx) => {
        stop.abort()
        return ctx.confirm('Sure?')
      },
      resumable,
    )
    const { open } = scene([calls(['c1', 'ask']), 'Done.'], [ask])
    expect((await open().thread.prompt('go', { signal: stop.signal })).status).toBe('incomplete')
    await pause(20)
    expect(unhandled).toEqual([])
  } finally {
    process.off('unhandledRejection', note)
  }
})
