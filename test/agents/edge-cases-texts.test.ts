import { describe, expect, test } from 'vitest'
import { Agent, handoff, RunState, run, type Tool } from '../../src/index.ts'
import { ToolMissing } from '../../src/protocol/errors/errors.ts'
import { type ScriptStep, scriptedModel } from '../../src/testing.ts'
import { failedWith } from '../support/agents/failures.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only, resultsIn, toolMessage } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { nested } from './nested.ts'

/** Numbers are those of the cases that other systems were probed with; what is expected here is often better than what they do. */

describe('hand-offs', () => {
  test('103, 115: a hand-off that is gone when it was approved fails the run by name; nothing is spent', async () => {
    const billing = new Agent({ name: 'billing', model: scriptedModel(['hello']) })
    const build = (handoffs: Tool[]) =>
      new Agent({ name: 'triage', model: scriptedModel([calls(['h', 'transfer_to_billing'])]), handoffs })
    const agent = build([handoff(billing, { needsApproval: true })])
    const paused = await run(agent, 'go')
    await paused.state.approve(only(paused))
    const text = paused.state.toString()
    const without = build([])
    failedWith(await run(without, await RunState.fromString(without, text)), ToolMissing, 'tool_missing')
    expect((await run(agent, await RunState.fromString(agent, text))).finalOutput).toBe('hello')
  })

  test('a hand-off is edited like a call, but not into another one', async () => {
    const billing = new Agent({ name: 'billing', model: scriptedModel(['hello']) })
    const sales = new Agent({ name: 'sales', model: scriptedModel(['buy']) })
    const agent = new Agent({
      name: 'triage',
      model: scriptedModel([calls(['h', 'transfer_to_billing'])]),
      handoffs: [handoff(billing, { needsApproval: true }), sales],
    })
    const paused = await run(agent, 'go')
    await expect(paused.state.edit(only(paused), { toolName: 'transfer_to_sales', args: {} })).rejects.toMatchObject({
      code: 'edit_invalid',
    })
    await paused.state.approve(only(paused))
    expect((await run(agent, paused.state)).finalOutput).toBe('hello')
  })

  test('answered in words it does not happen, and the agent reads them', async () => {
    const billing = new Agent({ name: 'billing', model: scriptedModel([]) })
    const model = scriptedModel([calls(['h', 'transfer_to_billing']), 'I see.'])
    const agent = new Agent({ name: 'triage', model, handoffs: [handoff(billing, { needsApproval: true })] })
    const paused = await run(agent, 'go')
    await paused.state.respond(only(paused), { message: 'They are closed.' })
    expect((await run(agent, paused.state)).finalOutput).toBe('I see.')
    expect(toolMessage(model.requests[1]?.messages).content).toBe('They are closed.')
  })

  test('of two hand-offs the first that was let through counts, even if it was asked', async () => {
    const agents = ['billing', 'sales'].map((name) => new Agent({ name, model: scriptedModel([`${name} here`]) }))
    const build = () =>
      new Agent({
        name: 'triage',
        model: scriptedModel([calls(['b', 'transfer_to_billing'], ['s', 'transfer_to_sales'])]),
        handoffs: agents.map((one) => handoff(one, { needsApproval: true })),
      })
    const agent = build()
    const paused = await run(agent, 'go')
    // The second is refused at once: nobody is asked about what cannot happen.
    expect(only(paused).toolName).toBe('transfer_to_billing')
    await paused.state.approve(only(paused))
    expect((await run(agent, paused.state)).finalOutput).toBe('billing here')
  })
})

describe('guardrails', () => {
  test('105–108: with preApprovalInputGuardrails nested calls are looked at before anybody is asked, also after a restart', async () => {
    let asked = 0
    const pay = gated('pay', {
      inputGuardrails: [
        {
          name: 'sane',
          run: ({ args }: { args: { n?: number } }) => {
            asked += 1
            return args.n === 1 ? { behavior: 'rejectContent', message: 'not one' } : { behavior: 'allow' }
          },
        },
      ],
    } as never)
    const build = (inner: readonly ScriptStep[], outer?: readonly ScriptStep[]) =>
      nested({ inner, tools: [pay], ...(outer ? { outer } : {}) })
    const first = build([calls(['a', 'pay', { n: 1 }]), calls(['b', 'pay', { n: 2 }])])
    const paused = await run(first.agent, 'go', { toolExecution: { preApprovalInputGuardrails: true } })
    expect(only(paused).toolCallId).toBe('b')
    expect(resultsIn(first.innerModel.requests[1]?.messages)).toEqual([['a', 'not one']])
    const later = build([calls(['c', 'pay', { n: 1 }]), 'ok'], ['done'])
    const state = await RunState.fromString(later.agent, paused.state.toString())
    await state.approve(only(paused))
    const before = asked
    // Nothing said so again: it is stored with the run. Once right before b runs, once before anybody would be asked about c.
    expect((await run(later.agent, state)).finalOutput).toBe('done')
    expect(asked - before).toBe(2)
    expect(pay.runs).toHaveLength(1)
  })

  test('109, 111: input guardrails of a nested agent see its input once; output guardrails run on no pause', async () => {
    const seen: string[] = []
    const { agent } = nested({
      inner: [calls(['a', 'pay']), 'ok'],
      tools: [gated('pay')],
      agent: {
        inputGuardrails: [
          {
            name: 'in',
            execute: ({ input }) => {
              seen.push(`in ${input.map(({ content }) => content)}`)
              return { tripwireTriggered: false }
            },
          },
        ],
        outputGuardrails: [
          {
            name: 'out',
            execute: ({ output }) => {
              seen.push(`out ${output}`)
              return { tripwireTriggered: false }
            },
          },
        ],
      },
    })
    const paused = await run(agent, 'go')
    expect(seen).toEqual(['in go'])
    await paused.state.approve(only(paused))
    await run(agent, paused.state)
    expect(seen).toEqual(['in go', 'out ok'])
  })
})

describe('texts', () => {
  test('115: a nested tool that is gone fails the run by name, and it stays resumable', async () => {
    const pay = gated('pay')
    const { agent } = nested({ inner: [calls(['a', 'pay']), 'ok'], tools: [pay] })
    const paused = await run(agent, 'go')
    await paused.state.approve(only(paused))
    const text = paused.state.toString()
    const without = nested({ inner: [], tools: [] })
    failedWith(await run(without.agent, await RunState.fromString(without.agent, text)), ToolMissing, 'tool_missing')
    expect((await run(agent, await RunState.fromString(agent, text))).finalOutput).toBe('done')
    expect(pay.runs).toHaveLength(1)
  })

  test('117: a nested tool that was defined anew while it waited is asked about again, of the same owner', async () => {
    const build = (description: string, inner: readonly ScriptStep[], outer?: readonly ScriptStep[]) =>
      nested({ inner, tools: [gated('pay', { description })], ...(outer ? { outer } : {}) })
    const paused = await run(build('pays', [calls(['a', 'pay'])]).agent, 'go')
    const changed = build('pays twice', ['ok'], ['done'])
    const state = await RunState.fromString(changed.agent, paused.state.toString())
    await state.approve(only(paused))
    const again = await run(changed.agent, state)
    expect(only(again)).toMatchObject({
      reason: 'changed',
      agent: 'inner',
      path: ['clerk', 'inner'],
      supersedes: only(paused).id,
    })
    await again.state.approve(only(again))
    expect((await run(changed.agent, again.state)).finalOutput).toBe('done')
  })

  test('122: usage of all levels goes through the text', async () => {
    const usage = { requests: 1, inputTokens: 2, outputTokens: 3, totalTokens: 5 }
    const say = (content: string): ScriptStep => ({ content, usage }) as ScriptStep
    const { agent } = nested({
      inner: [{ toolCalls: [{ id: 'a', name: 'pay', args: {} }], usage } as ScriptStep, say('ok')],
      tools: [gated('pay')],
      outer: [{ toolCalls: [{ id: 'i', name: 'inner', args: { input: 'x' } }], usage } as ScriptStep, say('done')],
    })
    const paused = await run(agent, 'go')
    const state = await RunState.fromString(agent, paused.state.toString())
    expect(state.usage).toMatchObject({ requests: 2, totalTokens: 10 })
    await state.approve(only(paused))
    expect((await run(agent, state)).usage).toMatchObject({ requests: 4, totalTokens: 20 })
  })
})
