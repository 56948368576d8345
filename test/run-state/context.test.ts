import { expect, test } from 'vitest'
import { memoryStore, RunState, run } from '../../src/index.ts'
import { InputInvalid } from '../../src/ports.ts'
import { ContextInvalid } from '../../src/protocol/errors/errors.ts'
import { refused } from '../support/agents/failures.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

test('context is plain JSON or refused: nothing is lost silently', async () => {
  const store = memoryStore()
  const { agent } = scripted([])
  const circular: Record<string, unknown> = {}
  circular.self = circular
  const wrong = [
    new Date(),
    { when: new Date() },
    new Map(),
    { f: () => 1 },
    { u: undefined },
    [undefined],
    { n: Number.NaN },
    { n: Number.POSITIVE_INFINITY },
    { z: -0 },
    { b: 1n },
    { s: '\ud800' },
    { '\ud800': 1 },
    { [Symbol('x')]: 1 },
    new (class User {})(),
    circular,
  ]
  for (const context of wrong) {
    await refused(
      run(agent, 'go', { store, threadId: 't', context: context as never }),
      ContextInvalid,
      'context_invalid',
    )
  }
  expect((await store.read('t')).version).toBe(0)
})

test('context survives pauses and texts and reaches rules, instructions and tools', async () => {
  const context = { user: { id: 7, roles: ['a'] }, none: null }
  const seen: unknown[] = []
  const pay = gated('pay', {
    needsApproval: (runContext: { context: unknown }) => {
      seen.push(runContext.context)
      return true
    },
  } as never)
  const { agent, model } = scripted([calls(['a', 'pay']), 'Done.'], [pay], {
    instructions: ({ context }) => `for ${JSON.stringify(context)}`,
  })
  const paused = await run(agent, 'go', { context })
  await paused.state.approve('a')
  await run(agent, await RunState.fromString(agent, paused.state.toString()))
  expect(seen).toEqual([context])
  expect(pay.runs[0]?.ctx.context).toEqual(context)
  expect(model.requests.map(({ instructions }) => instructions)).toEqual(
    Array(2).fill(`for ${JSON.stringify(context)}`),
  )
})

test('nobody can change the stored context through the copy that they were given', async () => {
  const context = { user: { id: 7 } }
  const vandal = (given: unknown) => {
    ;(given as typeof context).user.id = 666
  }
  const pay = gated('pay', {
    needsApproval: (runContext: { context: unknown }) => {
      vandal(runContext.context)
      return true
    },
    execute: (_args: unknown, ctx: { context: unknown }) => vandal(ctx.context),
  } as never)
  const { agent } = scripted([calls(['a', 'pay']), calls(['b', 'pay']), 'Done.'], [pay])
  const paused = await run(agent, 'go', { context })
  vandal(context)
  await paused.state.approve('a', { always: true })
  const result = await run(agent, paused.state)
  expect(result.status).toBe('completed')
  const copies = pay.runs.map(({ ctx }) => ctx.context as typeof context)
  expect(copies).toEqual([{ user: { id: 666 } }, { user: { id: 666 } }])
  expect(copies[0]).not.toBe(copies[1])
  const { entries } = JSON.parse(result.state.toString()) as { entries: [number, { context?: unknown }][] }
  expect(entries[0]?.[1].context).toEqual({ user: { id: 7 } })
})

test('a resumed run keeps its context: giving another one is refused, not ignored', async () => {
  const { agent } = scripted([calls(['a', 'pay']), 'Done.'], [gated('pay')])
  const paused = await run(agent, 'go', { context: 1 })
  await refused(run(agent, paused.state, { context: 2 }), InputInvalid, 'input_invalid')
  await refused(run(agent, paused.state, { threadId: 'other' }), InputInvalid, 'input_invalid')
  expect(paused.state.interruptions).toHaveLength(1)
})

test('live objects go to tools as deps and are never stored', async () => {
  const deps = { db: new Map([['secret', 1]]) }
  const pay = gated('pay', {
    execute: (_args: unknown, ctx: { deps: unknown }) => (ctx.deps as typeof deps).db.get('secret'),
  } as never)
  const { agent, model } = scripted([calls(['a', 'pay']), 'Done.'], [pay])
  const paused = await run(agent, 'go', { deps: { other: true } })
  await paused.state.approve('a')
  const result = await run(agent, paused.state, { deps })
  expect(pay.runs[0]?.ctx.deps).toBe(deps)
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', data: 1 })
  expect(result.state.toString()).not.toContain('secret')
})
