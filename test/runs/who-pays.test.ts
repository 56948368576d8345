import { describe, expect, it } from 'vitest'
import { definePolicy } from '../../src/policy/define-policy.ts'
import type { AgentOptions } from '../../src/runtime/agent/agent.ts'
import { run } from '../../src/runtime/run/run.ts'
import { RunState } from '../../src/runtime/run/run-state.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import type { ScriptStep } from '../../src/testing/scripted-model.ts'
import { shell } from '../support/agents/built-in-tools.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { entriesOf } from '../support/stores/entries.ts'

const threadId = 't'
const usage = { inputTokens: 10, outputTokens: 5 }
const paid = (times: number) => ({
  requests: times,
  inputTokens: 10 * times,
  outputTokens: 5 * times,
  totalTokens: 15 * times,
})
const said = (text: string): ScriptStep => ({ text, usage })
const called = (name: string): ScriptStep => ({ ...(calls(['c1', name]) as object), usage })

/** Each way to lose an answer: what the agent has, and what the model says. */
const ways: [string, () => { options: Partial<AgentOptions>; answer: ScriptStep }][] = [
  [
    'a rule that fails',
    () => ({
      answer: called('pay'),
      options: {
        tools: [
          gated('pay', {
            needsApproval: () => {
              throw new Error('no rule')
            },
          }),
        ],
      },
    }),
  ],
  [
    'a policy that fails',
    () => ({
      answer: called('look'),
      options: {
        tools: [free('look')],
        policy: definePolicy(() => {
          throw new Error('no policy')
        }),
      },
    }),
  ],
  [
    'a guardrail that trips',
    () => ({
      answer: said('secret'),
      options: {
        outputGuardrails: [{ name: 'no secrets', execute: async () => ({ tripwireTriggered: true }) }] as never,
      },
    }),
  ],
  [
    'an afterModel hook that fails',
    () => ({
      answer: said('hm'),
      options: {
        middleware: [
          {
            name: 'broken',
            afterModel: () => {
              throw new Error('no hook')
            },
          },
        ],
      },
    }),
  ],
  [
    'onApproval that fails',
    () => ({
      answer: { ...(calls(['a', 'shell', { commands: ['ls'] }]) as object), usage },
      options: {
        tools: [
          shell({
            onApproval: () => {
              throw new Error('no code')
            },
          }),
        ],
      },
    }),
  ],
  ['an answer that is none', () => ({ answer: { text: 7 as never, usage }, options: {} })],
]

describe.each(ways)('%s: the answer is discarded', (_, way) => {
  it('and counts as a turn and in usage, across restarts, up to maxTurns', async () => {
    const { options, answer } = way()
    const store = memoryStore()
    const { agent, model } = scripted([answer, answer], [], options)
    const first = await run(agent, 'go', { store, threadId, maxTurns: 2 })
    expect([first.status, first.usage, first.state.currentTurn]).toEqual(['failed', paid(1), 1])
    // Another process, that knows only the store.
    const second = await run(agent, await RunState.load(agent, { store, threadId }))
    expect([second.status, second.usage, second.state.currentTurn]).toEqual(['failed', paid(2), 2])
    const third = await run(agent, await RunState.load(agent, { store, threadId }))
    expect(third.error).toMatchObject({ code: 'max_turns_exceeded' })
    model.assertConsumed()
    expect(model.requests.length).toBe(2)
    expect(third.state.messages).toEqual([{ role: 'user', content: 'go' }])
    const told = (await entriesOf(store, threadId)).map(({ type }) => type)
    expect(told).toEqual(['run.opened', 'model.discarded', 'model.discarded'])
  })
})

it('rules, guardrails and hooks see the usage of the answer that they judge', async () => {
  const seen: [string, number][] = []
  const pay = gated('pay', {
    needsApproval: (runContext) => {
      seen.push(['rule', runContext.usage.totalTokens])
      return false
    },
  })
  const { agent } = scripted([called('pay'), said('done')], [pay], {
    policy: definePolicy(({ runContext }) => {
      seen.push(['policy', runContext.usage.totalTokens])
      return { verdict: 'allow' }
    }),
    middleware: [
      {
        name: 'watches',
        beforeModel: ({ runContext }) => {
          seen.push(['before', runContext.usage.totalTokens])
          return undefined
        },
        afterModel: ({ runContext }) => {
          seen.push(['after', runContext.usage.totalTokens])
          return undefined
        },
      },
    ],
  })
  expect((await run(agent, 'go')).status).toBe('completed')
  expect(seen).toEqual([
    ['before', 0],
    ['rule', 15],
    ['policy', 15],
    ['after', 15],
    ['before', 15],
    ['after', 30],
  ])
})

it('the model is told again what it was told, and input guardrails see it again, after an answer was discarded', async () => {
  const guarded: unknown[] = []
  let broken = true
  const { agent, model } = scripted([said('first'), said('second')], [], {
    inputGuardrails: [
      {
        name: 'sees',
        execute: async ({ input }: { input: unknown }) => {
          guarded.push(input)
          return { tripwireTriggered: false }
        },
      },
    ] as never,
    middleware: [
      {
        name: 'fails once',
        afterModel: () => {
          if (!broken) return undefined
          broken = false
          throw new Error('once')
        },
      },
    ],
  })
  const failed = await run(agent, 'go')
  const done = await run(agent, failed.state)
  expect([done.finalOutput, done.usage]).toEqual(['second', paid(2)])
  expect(guarded).toHaveLength(2)
  expect(guarded[0]).toEqual(guarded[1])
  expect(model.requests[1]?.messages).toEqual(model.requests[0]?.messages)
})

it('a signal that fired before the model is asked asks nothing', async () => {
  const stop = new AbortController()
  const { agent, model } = scripted([said('never')], [], {
    middleware: [
      {
        name: 'stops',
        beforeModel: () => {
          stop.abort()
          return undefined
        },
      },
    ],
  })
  const stopped = await run(agent, 'go', { signal: stop.signal })
  expect([stopped.status, stopped.usage.requests, model.requests.length]).toEqual(['incomplete', 0, 0])
})
