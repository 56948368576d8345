import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  type AgentOptions,
  definePolicy,
  type JsonValue,
  type Middleware,
  memoryStore,
  type Policy,
  type PolicyVerdict,
  run,
  shadow,
  tool,
} from '../../src/index.ts'
import { GuardrailFailed, PolicyFailed, PolicyInvalid, ToolInvalid } from '../../src/protocol/errors/errors.ts'
import { fakeClock, scriptedModel } from '../../src/testing.ts'

/** An agent whose model calls `pay`, and what `pay` did. */
function setUp(options: Partial<AgentOptions> = {}, toolOptions: object = {}) {
  const paid: unknown[] = []
  const pay = tool({
    name: 'pay',
    description: '',
    parameters: z.object({ cents: z.number() }),
    execute: (args) => {
      paid.push(args)
      return 'paid'
    },
    ...toolOptions,
  })
  const model = scriptedModel([
    { toolCalls: [{ id: 'c1', name: 'pay', args: { cents: 5 } }] },
    'Done.',
    'Done.',
    'Done.',
  ])
  return { paid, model, agent: new Agent({ name: 'a', model, tools: [pay], ...options }) }
}

const unknown: [string, unknown][] = [
  ['a string', 'no'],
  ['false', false],
  ['null', null],
  ['a misspelt key', { refused: 'no' }],
  ['another hook’s answer', { hold: { description: 'Sure?' } }],
  ['a key too many', { refuse: 'no', reason: 'x' }],
  ['a refusal that is no string', { refuse: true }],
]

describe('a beforeTool that returns something unknown does not let the call run', () => {
  test.each(unknown)('%s', async (_what, said) => {
    const hook: Middleware = { name: 'guard', beforeTool: () => said as never }
    const { agent, paid, model } = setUp({ middleware: [hook] })
    const store = memoryStore()
    const failed = await run(agent, 'go', { threadId: 't', store })
    expect(failed.status).toBe('failed')
    expect(failed.error).toBeInstanceOf(PolicyFailed)
    expect(failed.error?.message).toMatch(/beforeTool of middleware "guard" returned .*must be \{ refuse: string \}/)
    expect(paid).toEqual([])
    // The call is over, not in doubt: resuming tells the model that it did not run.
    const done = await run(agent, failed.state)
    expect(done.status).toBe('completed')
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', isError: true })
    expect(paid).toEqual([])
  })

  test('also before an agent that is called as a tool', async () => {
    const inner = new Agent({ name: 'inner', model: scriptedModel(['hi']) })
    const hook: Middleware = { name: 'guard', beforeTool: () => 'no' as never }
    const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'inner', args: { input: 'x' } }] }])
    const failed = await run(new Agent({ name: 'a', model, tools: [inner.asTool()], middleware: [hook] }), 'go')
    expect(failed.error).toBeInstanceOf(PolicyFailed)
    expect((inner.model as ReturnType<typeof scriptedModel>).requests).toEqual([])
  })
})

test('a hook around an agent that is called as a tool that throws fails that call, as around any other', async () => {
  for (const hook of [
    { beforeTool: () => Promise.reject(new Error('boom')) },
    { afterTool: () => Promise.reject(new Error('boom')) },
  ]) {
    const inner = new Agent({ name: 'inner', model: scriptedModel(['hi']) })
    const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'inner', args: { input: 'x' } }] }, 'Done.'])
    const middleware = [{ name: 'm', ...hook }]
    const done = await run(new Agent({ name: 'a', model, tools: [inner.asTool()], middleware }), 'go')
    expect(done.status).toBe('completed')
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      isError: true,
      content: expect.stringContaining('boom'),
    })
  }
})

describe('an afterTool that returns something unknown withholds the result', () => {
  test.each<[string, unknown]>([
    ['a string', 'other'],
    ['false', false],
    ['a misspelt key', { contents: 'x' }],
    ['a key too many', { content: 'x', error: true }],
    ['content that is none', { content: 5 }],
    ['data that is not JSON', { content: 'x', data: new Date(0) }],
  ])('%s', async (_what, said) => {
    const { agent, paid, model } = setUp({ middleware: [{ name: 'mask', afterTool: () => said as never }] })
    const failed = await run(agent, 'go')
    expect(failed.error).toBeInstanceOf(PolicyFailed)
    expect(failed.error?.message).toMatch(/afterTool of middleware "mask" returned/)
    expect(paid).toHaveLength(1)
    expect((await run(agent, failed.state)).status).toBe('completed')
    expect(paid).toHaveLength(1)
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', isError: true })
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain('"paid"')
  })
})

describe('hooks around the model that return something unknown fail the turn', () => {
  test.each<[string, Middleware]>([
    ['afterModel: a string', { name: 'm', afterModel: () => 'no' as never }],
    ['afterModel: false', { name: 'm', afterModel: () => false as never }],
    ['afterModel: a refusal', { name: 'm', afterModel: () => ({ refuse: 'no' }) as never }],
    [
      'afterModel: a reviewer',
      { name: 'm', afterModel: () => ({ hold: { description: '', reviewer: 'x' } }) as never },
    ],
    [
      'afterModel: a risk that is none',
      { name: 'm', afterModel: () => ({ hold: { description: '', risk: 'x' } }) as never },
    ],
    ['beforeModel: a string', { name: 'm', beforeModel: () => 'no' as never }],
    ['beforeModel: false', { name: 'm', beforeModel: () => false as never }],
    ['beforeModel: a hold', { name: 'm', beforeModel: () => ({ hold: {} }) as never }],
    ['beforeModel: messages that are none', { name: 'm', beforeModel: () => ({ messages: ['hi'] }) as never }],
  ])('%s', async (what, hook) => {
    const { agent, paid } = setUp({ middleware: [hook] })
    const failed = await run(agent, 'go')
    expect(failed.error).toBeInstanceOf(PolicyFailed)
    expect(failed.error?.message).toContain(`${what.split(':')[0]} of middleware "m" returned`)
    expect(failed.state.messages).toHaveLength(1)
    expect(paid).toEqual([])
  })
})

describe('a policy that returns something unknown stops the turn', () => {
  test.each<[string, unknown, RegExp]>([
    ['a string', 'deny', /must be \{ verdict: 'allow' \}/],
    ['false', false, /returned false/],
    ['another word', { verdict: 'reject' }, /not a verdict/],
    ['a denial without a reason', { verdict: 'deny' }, /without a reason/],
    ['reviewer', { verdict: 'review', reviewer: 'ann' }, /"reviewer" is called reviewers/],
    ['allowed_decisions', { verdict: 'review', allowed_decisions: ['reject'] }, /is called allowedDecisions/],
    ['an allow with a condition', { verdict: 'allow', reviewers: ['ann'] }, /"reviewers"/],
    ['a denial with more', { verdict: 'deny', reason: 'x', unless: 'y' }, /"unless"/],
  ])('%s', async (_what, said, message) => {
    const { agent, paid } = setUp({ policy: definePolicy(() => said as PolicyVerdict, { name: 'rules' }) })
    const failed = await run(agent, 'go')
    expect(failed.error).toBeInstanceOf(PolicyFailed)
    expect(failed.error?.message).toContain('Policy "rules"')
    expect(failed.error?.message).toMatch(message)
    expect(paid).toEqual([])
  })

  test('a policy whose bind returns no function, or that is neither shadow nor not, is refused when the agent is built', () => {
    const own = { name: 'own', version: '1', shadow: false, bind: () => undefined } as unknown as Policy
    expect(() => setUp({ policy: own })).toThrow(PolicyInvalid)
    const odd = { ...definePolicy(() => ({ verdict: 'deny', reason: 'x' })), shadow: 'false' } as unknown as Policy
    expect(() => setUp({ policy: odd })).toThrow(PolicyInvalid)
  })
})

test('a shadow policy that throws or returns something unknown is recorded and harms nothing', async () => {
  const store = memoryStore()
  const { agent, paid } = setUp({
    policy: [
      shadow(
        definePolicy(
          () => {
            throw new Error('not ready')
          },
          { name: 'new' },
        ),
      ),
      shadow(definePolicy(() => 'deny' as never, { name: 'newer' })),
    ],
  })
  expect((await run(agent, 'go', { threadId: 't', store })).status).toBe('completed')
  expect(paid).toHaveLength(1)
  const { entries } = await store.read('t')
  const judged = entries.map(({ body }) => JSON.parse(body)).find(({ type }) => type === 'call.judged')
  expect(judged.policies).toMatchObject([
    { name: 'new', verdict: 'failed', shadow: true, problem: expect.stringContaining('not ready') },
    { name: 'newer', verdict: 'failed', shadow: true, problem: expect.stringContaining('not a verdict') },
  ])
})

test('a shadow policy that never answers holds up its turn for five seconds by the clock of the store, is recorded and harms nothing', async () => {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const never = definePolicy(() => new Promise<never>(() => undefined), { name: 'never' })
  const { agent, paid } = setUp({ policy: shadow(never) })
  const running = run(agent, 'go', { threadId: 't', store })
  await vi.waitFor(() => expect(clock.waiting).toBe(1))
  clock.advance(4999)
  expect([clock.waiting, paid.length]).toEqual([1, 0])
  clock.advance(1)
  expect((await running).status).toBe('completed')
  expect([clock.waiting, paid.length]).toEqual([0, 1])
  const { entries } = await store.read('t')
  const judged = entries.map(({ body }) => JSON.parse(body)).find(({ type }) => type === 'call.judged')
  expect(judged.policies).toMatchObject([{ verdict: 'failed', problem: 'it did not answer within 5 s' }])
})

test('preview and preconditions that return nothing fail the turn: what was not read cannot be compared', async () => {
  for (const facts of [{ preview: () => undefined }, { preconditions: () => undefined }]) {
    const { agent, paid } = setUp({}, { needsApproval: true, ...(facts as object) })
    const failed = await run(agent, 'go')
    expect(failed.error).toBeInstanceOf(ToolInvalid)
    expect(failed.error?.message).toContain('null for nothing')
    expect(paid).toEqual([])
  }
})

test('a guardrail whose outcome has keys that do not count does not let the call run', async () => {
  const says = (outcome: JsonValue) => ({ name: 'g', run: () => outcome as never })
  for (const outcome of [{ behavior: 'allow', reject: true }, { allowed: false }, 'no', null]) {
    const { agent, paid } = setUp({}, { inputGuardrails: [says(outcome)] })
    const failed = await run(agent, 'go')
    expect(failed.error).toBeInstanceOf(GuardrailFailed)
    expect(failed.error?.message).toContain('it must be')
    expect(paid).toEqual([])
  }
})

test('needsApproval that is neither true nor false fails the turn', async () => {
  for (const said of ['no', 0, undefined, { approve: false }]) {
    const { agent, paid } = setUp({}, { needsApproval: () => said })
    const failed = await run(agent, 'go')
    expect(failed.error).toBeInstanceOf(PolicyFailed)
    expect(failed.error?.message).toContain('it must be true or false')
    expect(paid).toEqual([])
  }
})

test('what a body or hook asks with an unknown key is refused', async () => {
  const { agent } = setUp(
    {},
    {
      resumable: true,
      execute: (_: unknown, ctx: { hold(request: object): unknown }) =>
        ctx.hold({ description: 'x', allowed_decisions: ['reject'] }),
    },
  )
  const done = await run(agent, 'go')
  expect(done.interruptions).toEqual([])
  expect(done.error?.message).toContain('is called allowedDecisions')
})
