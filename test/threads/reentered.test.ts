import { describe, expect, it } from 'vitest'
import {
  Agent,
  type AgentOptions,
  memoryStore,
  type Store,
  type Thread,
  type Tool,
  type ToolContext,
} from '../../src/index.ts'
import { QuestionNotAwaited, StoreFailed, ThreadReentered } from '../../src/protocol/errors/errors.ts'
import { scriptedModel } from '../../src/testing.ts'
import { failedWith, refused } from '../support/agents/failures.ts'
import { noting, notingGated } from '../support/agents/noting-tools.ts'
import { resultsIn } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { collect, eventsOf } from '../support/agents/thread-events.ts'
import { channelKinds, newChannel, scene, shown } from '../support/agents/thread-scene.ts'
import { latch } from '../support/latch.ts'
import { requestsOf } from '../support/stores/requests.ts'
import { intercept } from '../support/stores/wrapped-stores.ts'
import { pause } from '../support/until.ts'

const yes = { type: 'approve' } as const

const refusedVerbs: Record<string, (thread: Thread) => Promise<unknown>> = {
  prompt: (thread) => thread.prompt('again'),
  'prompt while paused': (thread) => thread.prompt('again', { whilePaused: 'queue' }),
  resume: (thread) => thread.resume(),
  respond: (thread) => thread.respond({ answer: yes }),
}

const servedVerbs: Record<string, (thread: Thread) => Promise<unknown>> = {
  detach: (thread) => thread.detach(),
  abortPending: (thread) => thread.abortPending(),
  close: (thread) => thread.close(),
}

/** A thread whose one tool calls `inside`, with or without a channel. */
function given(inside: (thread: Thread, ctx: ToolContext) => Promise<unknown>, withChannel: boolean) {
  const store = memoryStore()
  const work = noting('work', (_, ctx) => inside(thread, ctx))
  const agent = new Agent({
    name: 'clerk',
    model: scriptedModel([calls(['c1', 'work']), 'Done.', 'Done.']),
    tools: [work],
  })
  const channel = withChannel ? { channel: newChannel('memory', { store, threadId: 't' }) } : {}
  const thread = agent.thread('t', { store, ...channel })
  return { thread, work, store, agent }
}

describe.each([true, false])('a tool body that waits for its own thread (channel: %s)', (withChannel) => {
  it.each(Object.entries(refusedVerbs))('%s is refused, and nothing is done', async (_, verb) => {
    const { thread, store } = given(
      (own) => refused(verb(own), ThreadReentered, 'thread_reentered').then(() => 'refused'),
      withChannel,
    )
    const result = await thread.prompt('go')
    expect(result.status).toBe('completed')
    expect(resultsIn(result.messages)).toEqual([['c1', 'refused']])
    expect(result.messages.filter(({ role }) => role === 'user')).toHaveLength(1)
    expect(await requestsOf(store)).toEqual([])
  })

  it.each(Object.entries(servedVerbs))('%s is done without waiting for that body', async (name, verb) => {
    if (name === 'detach' && !withChannel) return
    const { thread, work } = given((own) => verb(own).then(() => 'went on'), withChannel)
    const result = await thread.prompt('go')
    expect(result.status).toBe({ detach: 'completed', abortPending: 'aborted', close: 'incomplete' }[name])
    expect(work.runs).toHaveLength(1)
  })

  it('the thread is free again when the body has ended, also for what the body left behind', async () => {
    const later = latch()
    let prompted: Promise<unknown> | undefined
    const { thread } = given(async (own) => {
      prompted = later.passed.then(() => own.prompt('more'))
      return 'done'
    }, withChannel)
    expect((await thread.prompt('go')).status).toBe('completed')
    later.open()
    expect(await prompted).toMatchObject({ status: 'completed' })
  })

  it('a call from outside while a body runs is serialised after it', async () => {
    const free = latch()
    const { thread, work } = given(() => free.passed, withChannel)
    const first = thread.prompt('go')
    while (work.runs.length === 0) await pause(1)
    const second = thread.prompt('more')
    free.open()
    expect([(await first).status, (await second).status]).toEqual(['completed', 'completed'])
  })
})

it.each(channelKinds)(
  'a body that detaches its own thread comes to its end, and the rest waits (%s channel)',
  async (kind) => {
    const leave = noting('leave', () => opened.thread.detach().then(() => 'left'))
    const made = scene([calls(['c1', 'pay'], ['c2', 'leave']), 'Done.'], [notingGated('pay'), leave], {
      toolExecution: { start: 'cleared' },
    })
    const opened = made.open(kind)
    const result = await opened.thread.prompt('go')
    expect(result).toMatchObject({ status: 'suspended', requests: [{ questionId: 'c1' }] })
    expect(eventsOf(opened.events, 'agent_suspended')).toHaveLength(1)
    const later = await made.open(kind).thread.respond({ questionId: 'c1', answer: yes })
    expect(resultsIn(later.messages)).toEqual([
      ['c1', 'pay done'],
      ['c2', 'left'],
    ])
  },
)

describe('other code that a thread waits for', () => {
  const places: Record<string, (call: () => Promise<unknown>) => Partial<AgentOptions>> = {
    'a beforeTool hook': (call) => ({ middleware: [{ name: 'm', beforeTool: async () => void (await call()) }] }),
    'an afterModel hook': (call) => ({ middleware: [{ name: 'm', afterModel: async () => void (await call()) }] }),
    'a rule of a tool': (call) => ({
      tools: [{ ...noting('work'), needsApproval: () => call().then(() => false) } as unknown as Tool],
    }),
  }

  it.each(Object.entries(places))('%s is refused too', async (_, place) => {
    const outcomes: unknown[] = []
    const call = () => thread.prompt('again').catch((error: unknown) => outcomes.push(error))
    const agent: Agent = new Agent({
      name: 'clerk',
      model: scriptedModel([calls(['c1', 'work']), 'Done.']),
      tools: [noting('work')],
      ...place(call),
    })
    const thread = agent.thread('t')
    expect((await thread.prompt('go')).status).toBe('completed')
    expect(outcomes.length).toBeGreaterThan(0)
    for (const outcome of outcomes) expect(outcome).toBeInstanceOf(ThreadReentered)
  })

  it('the tool of a nested agent is refused too', async () => {
    const inner = noting('inner', () =>
      refused(thread.resume(), ThreadReentered, 'thread_reentered').then(() => 'refused'),
    )
    const model = scriptedModel([calls(['i1', 'inner']), 'inner done'])
    const nested = new Agent({ name: 'helper', model, tools: [inner] }).asTool({ name: 'help', description: 'helps' })
    const agent = new Agent({
      name: 'clerk',
      model: scriptedModel([calls(['c1', 'help', { input: 'go' }]), 'Done.']),
      tools: [nested],
    })
    const thread: Thread = agent.thread('t')
    expect((await thread.prompt('go')).status).toBe('completed')
    expect(inner.runs).toHaveLength(1)
  })

  it('two threads whose tools wait for one another are refused where the circle closes', async () => {
    const ping = noting('ping', async () => (await pong.prompt('go')).status)
    const back = noting('back', () =>
      refused(first.prompt('x'), ThreadReentered, 'thread_reentered').then(() => 'refused'),
    )
    const first: Thread = new Agent({
      name: 'a',
      model: scriptedModel([calls(['c1', 'ping']), 'Done.']),
      tools: [ping],
    }).thread('a')
    const pong: Thread = new Agent({
      name: 'b',
      model: scriptedModel([calls(['c1', 'back']), 'Done.']),
      tools: [back],
    }).thread('b')
    const result = await first.prompt('go')
    expect(result.status).toBe('completed')
    expect(resultsIn(result.messages)).toEqual([['c1', 'completed']])
  })

  it('another object of the same thread is refused when it would follow, and says that its answer is stored', async () => {
    const store = memoryStore()
    const outcomes: unknown[] = []
    const pay = notingGated('pay')
    const work = noting('work', async () => {
      const other = agent.thread('t', { store })
      outcomes.push(await other.resume().catch((error: unknown) => error))
      outcomes.push(await other.respond({ questionId: 'c2', answer: yes }).catch((error: unknown) => error))
      return 'done'
    })
    const agent: Agent = new Agent({
      name: 'clerk',
      model: scriptedModel([calls(['c1', 'work'], ['c2', 'pay']), 'Done.']),
      tools: [work, pay],
    })
    const result = await agent.thread('t', { store, toolExecution: { start: 'cleared' } }).prompt('go')
    expect(outcomes).toMatchObject([
      { name: 'ThreadReentered', answerStored: false, message: expect.stringMatching(/^resume\(\).*Nothing was done/) },
      { name: 'ThreadReentered', answerStored: true, message: expect.stringMatching(/^respond\(\).*is stored/) },
    ])
    expect(result.status).toBe('completed')
    expect(pay.runs).toHaveLength(1)
  })
})

describe.each(channelKinds)('a question that its body did not wait for (%s channel)', (kind) => {
  it('is withdrawn, its result is recorded, and the run fails with an error', async () => {
    const hasty = noting('hasty', (_, ctx) => void ctx.confirm('Sure?'), { resumable: true })
    const { open, store } = scene([calls(['c1', 'hasty']), 'Done.'], [hasty])
    const { thread, channel, events } = open(kind)
    const error = failedWith(await thread.prompt('go'), QuestionNotAwaited, 'question_not_awaited')
    expect(error.toolName).toBe('hasty')
    expect(channel.pending).toBeUndefined()
    expect((await requestsOf(store)).filter(([, status]) => status === 'open')).toEqual([])
    const told = eventsOf(events, 'hitl_request').length
    expect(eventsOf(events, 'hitl_answer')).toHaveLength(told)
    expect((await thread.resume()).status).toBe('completed')
    expect(hasty.runs).toHaveLength(1)
    expect(collect(thread)).toEqual([])
  })

  it('is withdrawn also when the body failed, which the model is told', async () => {
    const failing = noting(
      'failing',
      async (_, ctx) => {
        await Promise.all([ctx.confirm('Sure?'), pause(5).then(() => Promise.reject(new Error('no paper')))])
      },
      { resumable: true },
    )
    const { open, store } = scene([calls(['c1', 'failing']), 'Done.'], [failing])
    const { thread, channel } = open(kind)
    const result = await thread.prompt('go')
    expect(result.status).toBe('completed')
    expect(resultsIn(result.messages)[0]?.[1]).toContain('no paper')
    expect(channel.pending).toBeUndefined()
    expect((await requestsOf(store)).filter(([, status]) => status === 'open')).toEqual([])
  })

  it('a verb that is called after the body has ended asks nothing', async () => {
    let late: Promise<unknown> | undefined
    const over = latch()
    const tool = noting(
      'leaves',
      (_, ctx) => {
        late = over.passed.then(() => ctx.confirm('Still there?'))
        late.catch(() => undefined)
      },
      { resumable: true },
    )
    const { open } = scene([calls(['c1', 'leaves'], ['c2', 'pay']), 'Done.'], [tool, notingGated('pay')], {
      toolExecution: { start: 'cleared' },
    })
    const { thread, channel } = open(kind)
    const prompting = thread.prompt('go')
    const { id } = await shown(channel)
    await pause(5)
    over.open()
    await expect(late).rejects.toMatchObject({ name: 'HitlAborted' })
    expect(channel.pending?.id).toBe(id)
    await channel.answer(id, yes)
    expect((await prompting).status).toBe('completed')
  })
})

/** The same store at the other end of a network. */
function distant(store: Store): Store {
  const read: Store['read'] = (...asked) => pause(5).then(() => store.read(...asked))
  return { ...intercept(store, () => pause(5)), read }
}

describe.each(channelKinds)('a body that ends while its question is still on the way (%s channel)', (kind) => {
  it('leaves no question behind, on the channel or in the store', async () => {
    const hasty = noting(
      'hasty',
      (_, ctx) => {
        void ctx.confirm('Sure?')
        throw new Error('no paper')
      },
      { resumable: true },
    )
    const store = distant(memoryStore())
    const slow = noting('slow', () => pause(20).then(() => channel.pending?.prompt ?? 'nothing is asked'))
    const { open } = scene([calls(['c1', 'hasty']), calls(['c2', 'slow']), 'Done.'], [hasty, slow], { store })
    const { thread, channel, events } = open(kind)
    const result = await thread.prompt('go')
    expect(resultsIn(result.messages)).toEqual([
      ['c1', expect.stringContaining('no paper')],
      ['c2', 'nothing is asked'],
    ])
    expect(channel.pending).toBeUndefined()
    expect(eventsOf(events, 'hitl_answer')).toHaveLength(eventsOf(events, 'hitl_request').length)
    expect((await requestsOf(store)).filter(([, status]) => status === 'open')).toEqual([])
  })
})

describe.each(channelKinds)('a store that fails while a body asks (%s channel)', (kind) => {
  it('fails the run, and is never told to the model as the result of the tool', async () => {
    const inner = memoryStore()
    let down = false
    const failing = <T>(work: () => Promise<T>): Promise<T> =>
      down ? Promise.reject(new StoreFailed('The store is down', undefined)) : work()
    const store: Store = {
      ...inner,
      read: (...asked) => failing(() => inner.read(...asked)),
      append: (append) => failing(() => inner.append(append)),
    }
    const careful = noting(
      'careful',
      async (_, ctx) => {
        down = careful.runs.length === 1
        setTimeout(() => {
          down = false
        }, 20)
        return String(await ctx.confirm('Sure?').catch((error: Error) => pause(40).then(() => Promise.reject(error))))
      },
      { resumable: true },
    )
    const { open } = scene([calls(['c1', 'careful']), 'Done.'], [careful], { store })
    const { thread, channel } = open(kind)
    failedWith(await thread.prompt('go'), StoreFailed, 'store_failed')
    const resuming = thread.resume()
    const { id } = await shown(channel)
    await channel.answer(id, true)
    expect(resultsIn((await resuming).messages)).toEqual([['c1', 'true']])
  })
})
