import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  type AgentOptions,
  definePolicy,
  humanInTheLoop,
  memoryStore,
  type Policy,
  type PolicyVerdict,
  RunState,
  run,
  shadow,
  toActionRequests,
  tool,
} from '../../src/index.ts'
import { InputInvalid } from '../../src/ports.ts'
import { scriptedModel } from '../../src/testing.ts'

const paid: unknown[] = []
/** Whether the tool shows nothing, so that a door with the agent's code releases an edit at once. */
let plain = false

/** The teller as it is deployed with these policies. */
function teller(
  policy: AgentOptions['policy'],
  options: Partial<AgentOptions> = {},
  steps?: Parameters<typeof scriptedModel>[0],
) {
  const pay = tool({
    name: 'pay',
    description: 'pays',
    parameters: z.object({ cents: z.number() }),
    ...(plain ? {} : { preview: ({ cents }: { cents: number }) => `- ${cents}` }),
    execute: (args) => {
      paid.push(args)
      return 'paid'
    },
  })
  const model = scriptedModel(steps ?? ['Done.', 'Done.'])
  return { model, agent: new Agent({ name: 'teller', model, tools: [pay], ...(policy ? { policy } : {}), ...options }) }
}

const call = { toolCalls: [{ id: 'c1', name: 'pay', args: { cents: 5 } }] }
const rules = (verdict: PolicyVerdict, version: string): Policy =>
  definePolicy(() => verdict, { name: 'rules', version })
const review: PolicyVerdict = { verdict: 'review' }

/** A call that was approved under `policy`, and what a later deployment makes of it. */
async function approved(policy: AgentOptions['policy'], decide?: (state: RunState) => Promise<unknown>) {
  paid.length = 0
  const store = memoryStore()
  const { agent } = teller(policy, {}, [call])
  const paused = await run(agent, 'go', { threadId: 't', store })
  expect(paused.status).toBe('interrupted')
  await (decide ? decide(paused.state) : paused.state.approve(paused.interruptions[0]!, { by: 'ann' }))
  const later = async (next: AgentOptions['policy'], options: Partial<AgentOptions> = {}) => {
    const { agent, model } = teller(next, options)
    const result = await run(agent, await RunState.load(agent, { threadId: 't', store }))
    return { result, model, agent }
  }
  return { store, paused, later }
}

describe('a tightened policy counts for what is pending', () => {
  test('a deny never runs because somebody approved before it existed', async () => {
    const { later } = await approved(rules(review, '1'))
    const { result, model } = await later(rules({ verdict: 'deny', reason: 'Frozen.' }, '2'))
    expect(result.status).toBe('completed')
    expect(paid).toEqual([])
    expect(model.requests[0]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      isError: true,
      content: 'Not run: Frozen.',
    })
  })

  test('a policy that is new counts too', async () => {
    const { later } = await approved(rules(review, '1'))
    const extra = definePolicy(() => ({ verdict: 'deny', reason: 'New.' }), { name: 'extra' })
    await later([rules(review, '1'), extra])
    expect(paid).toEqual([])
  })

  test('rules of humanInTheLoop that are data count by themselves', async () => {
    const before = humanInTheLoop({ interruptOn: { pay: true } })
    const after = humanInTheLoop({ interruptOn: { pay: { reviewers: ['bob'] } } })
    expect(before.version).not.toBe(after.version)
    expect(before.version).toBe(humanInTheLoop({ interruptOn: { pay: true } }).version)
    const { later, paused } = await approved(before)
    const { result, agent } = await later(after)
    expect(result.interruptions).toMatchObject([
      {
        reason: 'policy_changed',
        reviewers: ['user:bob'],
        args: { cents: 5 },
        preview: '- 5',
        supersedes: paused.interruptions[0]!.id,
      },
    ])
    expect(paid).toEqual([])
    await result.state.approve(result.interruptions[0]!, { by: 'bob' })
    expect((await run(agent, result.state)).status).toBe('completed')
    expect(paid).toEqual([{ cents: 5 }])
  })

  test('functions count by their version', () => {
    const make = (version?: string) =>
      humanInTheLoop({ interruptOn: { pay: { when: () => true } }, ...(version ? { version } : {}) }).version
    expect(make()).toBe(make())
    expect(make('2')).not.toBe(make())
  })

  test('a verdict that is not stricter changes nothing, and the same version asks nobody', async () => {
    let asked = 0
    const counting = (version: string, verdict: PolicyVerdict) =>
      definePolicy(
        () => {
          asked += 1
          return verdict
        },
        { name: 'rules', version },
      )
    const { later } = await approved(counting('1', review))
    expect(asked).toBe(1)
    expect((await later(counting('1', review))).result.status).toBe('completed')
    expect([asked, paid.length]).toEqual([1, 1])
    for (const verdict of [review, { verdict: 'allow' } as const, { verdict: 'review', reviewers: ['ann'] } as const]) {
      const { later } = await approved(counting('1', review))
      expect((await later(counting('2', verdict))).result.status).toBe('completed')
      expect(paid).toHaveLength(1)
    }
  })

  test('a second judgement is given once: what is asked again is not judged again', async () => {
    let asked = 0
    const bob = definePolicy(
      () => {
        asked += 1
        return { verdict: 'review', reviewers: ['bob'] }
      },
      { name: 'rules', version: '2' },
    )
    const { later } = await approved(rules(review, '1'))
    const { result, agent } = await later(bob)
    expect(asked).toBe(1)
    await result.state.approve(result.interruptions[0]!, { by: 'bob' })
    expect((await run(agent, result.state)).status).toBe('completed')
    expect([asked, paid.length]).toEqual([1, 1])
  })

  test('a shadow policy does not count', async () => {
    const { later } = await approved(rules(review, '1'))
    const deny = definePolicy(() => ({ verdict: 'deny', reason: 'x' }), { name: 'extra' })
    await later([rules(review, '1'), shadow(deny)])
    expect(paid).toHaveLength(1)
  })

  test('a reject by a person stays a reject whatever policies say later', async () => {
    const { later } = await approved(rules(review, '1'), (state) =>
      state.reject(state.interruptions[0]!, { message: 'No.', by: 'ann' }),
    )
    const { model } = await later(rules({ verdict: 'allow' }, '2'))
    expect(paid).toEqual([])
    expect(model.requests[0]?.messages.at(-1)).toMatchObject({ content: 'No.' })
  })

  test.each([true, false])(
    'an edit that was judged under the old version is judged once more (released at once: %s)',
    async (atOnce) => {
      plain = atOnce
      try {
        const { later, store } = await approved(rules(review, '1'), (state) =>
          state.edit(state.interruptions[0]!, { args: { cents: 9 }, by: 'ann' }),
        )
        const released = (await store.read('t')).entries.some(({ body }) => body.includes('call.released'))
        expect(released).toBe(atOnce)
        const cap = definePolicy(
          ({ args }) => (Number(args.cents) > 5 ? { verdict: 'deny', reason: 'Too much.' } : { verdict: 'allow' }),
          { name: 'rules', version: '2' },
        )
        const { result } = await later(cap)
        expect(paid).toEqual([])
        expect(JSON.stringify([result.interruptions, result.state.messages])).toContain('Too much.')
      } finally {
        plain = false
      }
    },
  )

  test('what a standing decision let run is asked again if its giver may not decide any more', async () => {
    const { later } = await approved(rules(review, '1'), async (state) => {
      await state.approve(state.interruptions[0]!, { by: 'ann', always: { scope: 'agent' } })
    })
    const { result } = await later(rules({ verdict: 'review', reviewers: ['bob'] }, '2'))
    expect(result.interruptions).toMatchObject([{ reason: 'policy_changed' }])
    // The grant of ann does not answer it.
    expect(paid).toEqual([])
  })
})

describe('onPolicyChange', () => {
  const stricter: PolicyVerdict = { verdict: 'review', reviewers: ['bob'] }

  test("'deny' refuses what became stricter", async () => {
    const { later } = await approved(rules(review, '1'))
    const { result } = await later(rules(stricter, '2'), { onPolicyChange: 'deny' })
    expect([result.status, paid]).toEqual(['completed', []])
  })

  test("'keep' does not judge again", async () => {
    const { later } = await approved(rules(review, '1'))
    await later(rules({ verdict: 'deny', reason: 'x' }, '2'), { onPolicyChange: 'keep' })
    expect(paid).toHaveLength(1)
  })

  test('anything else is refused when the agent is built', () => {
    expect(() => teller(undefined, { onPolicyChange: 'maybe' as never })).toThrow(/onPolicyChange/)
  })
})

test('a call that rules alone had cleared, and that waited for its turn, is asked about once it needs a review', async () => {
  paid.length = 0
  const store = memoryStore()
  const both = { toolCalls: [...call.toolCalls, { id: 'c2', name: 'pay', args: { cents: 7 } }] }
  const big = (version: string, limit: number) =>
    definePolicy(({ args }) => ({ verdict: Number(args.cents) > limit ? 'review' : 'allow' }), {
      name: 'rules',
      version,
    })
  const { agent } = teller(big('1', 6), {}, [both])
  const paused = await run(agent, 'go', { threadId: 't', store, toolExecution: { start: 'settled' } })
  expect(paused.interruptions).toHaveLength(1)
  await paused.state.approve(paused.interruptions[0]!, { by: 'ann' })
  const { agent: later } = teller(big('2', 1))
  const again = await run(later, await RunState.load(later, { threadId: 't', store }))
  expect(again.interruptions).toMatchObject([{ reason: 'policy_changed', args: { cents: 5 }, preview: '- 5' }])
})

test('policies, when and description see the answer with its sibling calls, and the thread', async () => {
  const seen: unknown[] = []
  const both = { text: 'Both.', toolCalls: [...call.toolCalls, { id: 'c2', name: 'pay', args: { cents: 7 } }] }
  const policy = humanInTheLoop({
    interruptOn: {
      pay: {
        when: ({ message }) => (message.toolCalls?.length ?? 0) > 1,
        description: ({ message, threadId, messages }) => {
          seen.push([message.content, threadId, messages.length])
          return `one of ${message.toolCalls?.length} in ${threadId}`
        },
      },
    },
  })
  const { agent } = teller(policy, {}, [both, 'Done.'])
  const paused = await run(agent, 'go', { threadId: 'order-42' })
  expect(paused.interruptions.map(({ description }) => description)).toEqual([
    'one of 2 in order-42',
    'one of 2 in order-42',
  ])
  // An edit is judged from the same place.
  await paused.state.edit(paused.interruptions[0]!, { args: { cents: 6 } })
  await run(agent, paused.state)
  expect(new Set(seen.map((one) => JSON.stringify(one)))).toEqual(new Set(['["Both.","order-42",1]']))
})

test('toActionRequests tells them in snake case or in camel case', async () => {
  const { agent } = teller(humanInTheLoop({ interruptOn: { pay: { argsSchema: { type: 'object' } } } }), {}, [call])
  const { interruptions } = await run(agent, 'go')
  const { id, version, digest, description } = interruptions[0]!
  const action = { name: 'pay', args: { cents: 5 }, arguments: { cents: 5 }, description, id, version, digest }
  const decisions = ['approve', 'edit', 'reject', 'respond']
  const snake = { action_name: 'pay', allowed_decisions: decisions, args_schema: { type: 'object' } }
  const camel = { actionName: 'pay', allowedDecisions: decisions, argsSchema: { type: 'object' } }
  expect(toActionRequests(interruptions)).toEqual({ action_requests: [action], review_configs: [snake] })
  expect(toActionRequests(interruptions, { case: 'snake' })).toEqual(toActionRequests(interruptions))
  expect(toActionRequests(interruptions, { case: 'camel' })).toEqual({
    actionRequests: [action],
    reviewConfigs: [camel],
  })
  expect(() => toActionRequests(interruptions, { case: 'kebab' as never })).toThrow(InputInvalid)
})
