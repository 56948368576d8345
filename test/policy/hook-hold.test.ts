import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  CheckpointedChannel,
  InMemoryChannel,
  type Middleware,
  memoryStore,
  openDesk,
  RunState,
  run,
  type Store,
  sweep,
  tool,
} from '../../src/index.ts'
import { InputInvalid } from '../../src/ports.ts'
import type { BeforeToolHook } from '../../src/runtime/definition/middleware.ts'
import { scriptedModel } from '../../src/testing.ts'
import { failedWith } from '../support/agents/failures.ts'
import { only, resultsIn } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { latch } from '../support/latch.ts'
import { typesOf } from '../support/stores/entries.ts'
import { brings, clockedStore, intercept } from '../support/stores/wrapped-stores.ts'
import { until } from '../support/until.ts'

const ann = { kind: 'person', id: 'ann' } as const

/** Asks before every call, and does as it is told. */
const asking: Middleware = {
  name: 'asking',
  async beforeTool({ toolName, args, hold }) {
    const decision = await hold({ description: `Run ${toolName}?`, args, risk: 'high' }, { timeoutSeconds: 60 })
    return decision.type === 'reject' ? { refuse: `No: ${decision.message ?? ''}` } : undefined
  },
}

function setUp(
  middleware: Middleware[] = [asking],
  options: { resumable?: boolean; execute?: () => unknown; onUnknownOutcome?: 'retry' | 'ask' } = {},
) {
  const ran: number[] = []
  const pay = tool({
    name: 'pay',
    description: 'pays',
    parameters: z.object({ n: z.number() }),
    resumable: options.resumable ?? false,
    ...(options.onUnknownOutcome ? { onUnknownOutcome: options.onUnknownOutcome } : {}),
    async execute({ n }) {
      ran.push(n)
      return (await options.execute?.()) ?? 'paid'
    },
  })
  const model = scriptedModel([calls(['a', 'pay', { n: 1 }]), 'Done.'])
  const agent = new Agent({ name: 'clerk', model, tools: [pay], middleware })
  const start = (store: Store) => run(agent, 'go', { store, threadId: 't' })
  const resume = async (store: Store) => run(agent, await RunState.load(agent, { store, threadId: 't' }))
  return { ran, model, agent, start, resume }
}

describe.each([
  ['resumable', true],
  ['not resumable', false],
])('hold in beforeTool, of a tool that is %s', (_, resumable) => {
  test('pauses a plain run before the body, durably, and goes on when somebody has decided', async () => {
    const { start, resume, ran, model } = setUp([asking], { resumable })
    const store = memoryStore()
    const paused = await start(store)
    expect(paused.status).toBe('interrupted')
    expect(only(paused)).toMatchObject({
      kind: 'approve',
      toolName: 'pay',
      toolCallId: 'a',
      description: 'Run pay?',
      args: { n: 1 },
      risk: 'high',
      allowedDecisions: ['approve', 'reject'],
    })
    expect(ran).toEqual([])
    expect((await resume(store)).status).toBe('interrupted')
    await openDesk({ store }).decide({ request: only(paused), decision: { type: 'approve' }, by: ann })
    const done = await resume(store)
    expect(done.status).toBe('completed')
    expect(ran).toEqual([1])
    expect(resultsIn(model.requests[1]?.messages)).toEqual([['a', 'paid']])
    expect((await typesOf(store, 't')).filter((type) => type === 'request.opened')).toHaveLength(1)
  })

  test('rejected: the body does not run, and the model reads what the hook says', async () => {
    const { start, resume, ran, model } = setUp([asking], { resumable })
    const store = memoryStore()
    const paused = await start(store)
    await paused.state.reject(only(paused), { message: 'too much' })
    expect((await resume(store)).status).toBe('completed')
    expect(ran).toEqual([])
    expect(resultsIn(model.requests[1]?.messages)).toEqual([['a', 'No: too much']])
  })

  test('nobody in time: the body does not run, whichever process records the deadline', async () => {
    const { store, advance } = clockedStore()
    const { start, resume, ran, model } = setUp([asking], { resumable })
    await start(store)
    advance(61_000)
    expect(await sweep(store)).toMatchObject({ expired: 1 })
    expect((await resume(store)).status).toBe('completed')
    expect(ran).toEqual([])
    expect(resultsIn(model.requests[1]?.messages)[0]?.[1]).toMatch(/in time/)
  })

  test('on a live thread it is shown on the channel', async () => {
    for (const durable of [true, false]) {
      const { agent, ran } = setUp([asking], { resumable })
      const store = memoryStore()
      const channel = durable ? new CheckpointedChannel({ store, threadId: 't' }) : new InMemoryChannel()
      channel.subscribe((request) => channel.answer(request.questionId, { type: 'approve' }))
      expect((await agent.thread('t', { store, channel }).prompt('go')).status).toBe('completed')
      expect(ran).toEqual([1])
    }
  })
})

describe('a body that began after a hook had waited', () => {
  /** A worker that is lost in the middle of the body. */
  async function lost(options: { resumable?: boolean; onUnknownOutcome?: 'retry' }) {
    const { store, advance } = clockedStore()
    const stuck = latch()
    const scene = setUp([asking], options)
    const paused = await scene.start(store)
    await openDesk({ store }).decide({ request: only(paused), decision: { type: 'approve' }, by: ann })
    const worker = intercept(store, async (append) => {
      if (brings(append, 'call.finished')) await stuck.passed
    })
    const gone = scene.resume(worker)
    await until(() => scene.ran.length === 1)
    advance(31_000)
    return { ...scene, store, gone, letGo: stuck.open }
  }

  test('is not run a second time if its process is lost: its outcome is unknown, and somebody is asked', async () => {
    const { resume, ran, store, gone, letGo } = await lost({})
    const asked = await resume(store)
    expect(only(asked)).toMatchObject({ reason: 'unknown_outcome', toolName: 'pay' })
    expect(ran).toEqual([1])
    await asked.state.approve(only(asked))
    expect((await resume(store)).status).toBe('completed')
    expect(ran).toEqual([1, 1])
    letGo()
    await gone
  })

  test('is run again without asking if the tool says that it may, and the hook is not asked again', async () => {
    for (const options of [{ onUnknownOutcome: 'retry' }, { resumable: true }] as const) {
      const { resume, ran, store, gone, letGo } = await lost(options)
      expect((await resume(store)).status).toBe('completed')
      expect(ran).toEqual([1, 1])
      expect((await typesOf(store, 't')).filter((type) => type === 'request.opened')).toHaveLength(1)
      letGo()
      await gone
    }
  })
})

describe('a hook that', () => {
  const store = () => memoryStore()

  test('swallows the end of its wait does not let the body run', async () => {
    const deaf: Middleware = {
      name: 'deaf',
      beforeTool: async ({ hold }) => {
        await hold({ description: 'Sure?' }).catch(() => undefined)
        return undefined
      },
    }
    const { start, ran } = setUp([deaf])
    expect((await start(store())).status).toBe('interrupted')
    expect(ran).toEqual([])
  })

  test.each<[string, (hook: BeforeToolHook) => unknown]>([
    ['does not wait for its hold', ({ hold }) => void hold({ description: 'Sure?' })],
    ['says nothing of what it asks', ({ hold }) => hold({} as never)],
    ['allows no decision', ({ hold }) => hold({ description: 'Sure?', allowedDecisions: [] })],
    ['passes what is no JSON', ({ hold }) => hold({ description: 'Sure?', args: { now: new Date() } as never })],
  ])('%s is a mistake of the developer, and the body does not run', async (_, beforeTool) => {
    const { start, ran } = setUp([{ name: 'wrong', beforeTool: (hook) => beforeTool(hook) as undefined }])
    failedWith(await start(store()), InputInvalid, 'input_invalid')
    expect(ran).toEqual([])
  })

  test('keeps its hold for later is a mistake too', async () => {
    let kept: BeforeToolHook['hold'] | undefined
    const keeping: Middleware = {
      name: 'keeping',
      beforeTool({ hold }) {
        kept = hold
        return undefined
      },
    }
    const { start } = setUp([keeping], {
      execute: () => kept?.({ description: 'Sure?' }).catch(() => 'swallowed'),
    })
    failedWith(await start(store()), InputInvalid, 'input_invalid')
  })

  test('comes after another that held is asked in its turn, and both answers are found again', async () => {
    const log: string[] = []
    const noting = (name: string): Middleware => ({
      name,
      beforeTool: async ({ hold }) => {
        const { type } = await hold({ description: name })
        log.push(`${name} ${type}`)
        return undefined
      },
    })
    const { start, resume, ran } = setUp([noting('one'), noting('two')])
    const place = store()
    let result = await start(place)
    for (const name of ['one', 'two']) {
      expect(only(result).description).toBe(name)
      await result.state.approve(only(result))
      result = await resume(place)
    }
    expect(result.status).toBe('completed')
    expect(log).toEqual(['one approve', 'one approve', 'two approve'])
    expect(ran).toEqual([1])
  })
})
