import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { definePolicy } from '../../src/policy/define-policy.ts'
import type { AgentInput } from '../../src/protocol/agent-args.ts'
import { ToolInvalid } from '../../src/protocol/errors/errors.ts'
import { Agent } from '../../src/runtime/agent/agent.ts'
import { tool } from '../../src/runtime/definition/tool/tool.ts'
import { run } from '../../src/runtime/run/run.ts'
import { RunState } from '../../src/runtime/run/run-state.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import { failedWith } from '../support/agents/failures.ts'
import { only } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'

interface Outer {
  user: string
  role: string
}
interface Inner {
  account: string
}

/** Notes who read which context. */
function scene(options: { context?: (args: { input: string }, given: { context: Outer }) => unknown } = {}) {
  const seen: [string, unknown][] = []
  const reads = (who: string) =>
    definePolicy(
      ({ toolName, runContext }) => {
        if (toolName === 'pay') seen.push([who, runContext.context])
        return { verdict: 'allow' }
      },
      { name: who, version: '1' },
    )
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({}),
    needsApproval: (runContext) => {
      seen.push(['needsApproval', runContext.context])
      return true
    },
    preview: (_args, ctx) => {
      seen.push(['preview', ctx.context])
      return 'a payment'
    },
    execute: (_args, ctx) => {
      seen.push(['body', ctx.context])
      return 'paid'
    },
  })
  const inner = new Agent<Inner>({
    name: 'inner',
    instructions: ({ context }) => `You work for account ${context.account}.`,
    model: scriptedModel([calls(['p', 'pay']), 'Paid.']),
    tools: [pay],
    policy: reads('inner policy'),
    inputGuardrails: [
      {
        name: 'guard',
        execute: ({ runContext }) => {
          seen.push(['guardrail', runContext.context])
          return { tripwireTriggered: false }
        },
      },
    ],
  })
  const asTool = inner.asTool<AgentInput, Outer>({
    context: (options.context as never) ?? (({ input }, { context }) => ({ account: `${input} of ${context.user}` })),
  })
  const root = new Agent<Outer>({
    name: 'root',
    model: scriptedModel([calls(['i', 'inner', { input: '12' }]), 'Done.']),
    tools: [asTool],
    policy: reads('root policy'),
  })
  return { root, seen, inner }
}

const OUTER = { user: 'ann', role: 'clerk' }
const INNER = { account: '12 of ann' }

describe('an agent that is called as a tool with its own context', () => {
  test('reads it everywhere inside; policies of the agents around it keep reading theirs', async () => {
    const { root, seen, inner } = scene()
    const paused = await run(root, 'go', { context: OUTER })
    expect(only(paused)).toMatchObject({ toolName: 'pay', preview: 'a payment' })
    await paused.state.approve(only(paused))
    expect((await run(root, paused.state)).status).toBe('completed')
    const read = Object.fromEntries(seen)
    expect(read).toEqual({
      guardrail: INNER,
      needsApproval: INNER,
      'root policy': OUTER,
      'inner policy': INNER,
      preview: INNER,
      body: INNER,
    })
    expect((inner.model as ReturnType<typeof scriptedModel>).requests[0]?.instructions).toBe(
      'You work for account 12 of ann.',
    )
  })

  test('has it from the journal after a restart: it is made once', async () => {
    const store = memoryStore()
    let made = 0
    const options = { context: () => ({ account: `made ${++made}` }) }
    const { root, seen } = scene(options)
    const paused = await run(root, 'go', { context: OUTER, store, threadId: 't' })
    const state = await RunState.load(root, { store, threadId: 't' })
    await state.approve(only(paused).id)
    expect((await run(root, state)).status).toBe('completed')
    expect(made).toBe(1)
    expect(seen.filter(([who]) => who === 'body')).toEqual([['body', { account: 'made 1' }]])
  })

  test('keeps it in a string, also when the run gets another context', async () => {
    const { root, seen } = scene()
    const paused = await run(root, 'go', { context: OUTER })
    const state = await RunState.fromStringWithContext(
      root,
      paused.state.toString(),
      { user: 'bob', role: 'boss' },
      { trust: true },
    )
    await state.approve(only(paused).id)
    expect((await run(root, state)).status).toBe('completed')
    expect(seen.filter(([who]) => who === 'body')).toEqual([['body', INNER]])
  })

  test('cannot loosen a policy of the root by the arguments that its context is made of', async () => {
    const { inner } = scene()
    const strict = definePolicy<Outer>(
      ({ toolName, runContext }) => {
        const { role } = runContext.context
        return toolName === 'pay' && role !== 'boss' ? { verdict: 'deny', reason: 'not a boss' } : { verdict: 'allow' }
      },
      { name: 'only bosses pay', version: '1' },
    )
    const root = new Agent({
      name: 'root',
      model: scriptedModel([calls(['i', 'inner', { input: 'boss' }]), 'Done.']),
      tools: [inner.asTool({ context: ({ input }) => ({ account: '1', role: input }) as never })],
      policy: strict,
    })
    const done = await run(root, 'go', { context: OUTER })
    expect([done.status, done.interruptions]).toEqual(['completed', []])
  })

  test.each([
    ['throws', () => Promise.reject(new Error('no account'))],
    ['returns what is not JSON', () => ({ account: new Date() })],
    ['returns nothing', () => undefined],
  ])('that %s fails the run, and nothing runs inside', async (_what, context) => {
    const { root, seen } = scene({ context: context as never })
    failedWith(await run(root, 'go', { context: OUTER }), ToolInvalid, 'tool_invalid')
    expect(seen).toEqual([])
  })

  test('is checked when the tool is made', () => {
    const { inner } = scene()
    expect(() => inner.asTool({ context: { account: '1' } as never })).toThrow(ToolInvalid)
  })
})
