import { describe, expect, test } from 'vitest'
import { humanInTheLoop } from '../../src/policy/human-in-the-loop.ts'
import { AgentInvalid, GuardrailTripped, InputInvalid, PolicyInvalid } from '../../src/protocol/errors/errors.ts'
import { Agent } from '../../src/runtime/agent/agent.ts'
import { handoff } from '../../src/runtime/agent/handoff.ts'
import { run } from '../../src/runtime/run/run.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { type ScriptStep, scriptedModel } from '../../src/testing/scripted-model.ts'
import { failedWith, refused } from '../support/agents/failures.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'

const agentOf = (name: string, script: readonly ScriptStep[], more: object = {}): Agent =>
  new Agent({ name, model: scriptedModel(script), ...more })

describe('a mistake shows where it was made', () => {
  test('an agent among the tools of another is refused instead of left out', () => {
    const inner = agentOf('Inner', [])
    expect(() => agentOf('Root', [], { tools: [inner] })).toThrow(/asTool\(\)/)
    expect(() => agentOf('Root', [], { tools: [undefined] })).toThrow(AgentInvalid)
    expect(() => agentOf('Root', [], { tools: inner })).toThrow(AgentInvalid)
  })

  test('a value that is not an agent is refused', async () => {
    for (const wrong of [undefined, null, {}, 'agent'])
      await refused(run(wrong as never, 'x'), InputInvalid, 'input_invalid')
    const foreign = { findTool: () => undefined }
    await expect(run(foreign as never, 'x')).rejects.toThrow('another installed copy')
  })

  test('hand-offs that were named late and wrongly are refused before anything is stored', async () => {
    const store = memoryStore()
    const lost = agentOf('Lost', ['x'], {
      handoffs: () => {
        throw new Error('not there')
      },
    })
    const gone = agentOf('Gone', ['x'], { handoffs: () => [undefined] })
    const outer = agentOf('Outer', ['x'], { tools: [gone.asTool({ name: 'ask' })] })
    for (const agent of [lost, gone, outer])
      await refused(run(agent, 'hi', { store, threadId: agent.name }), AgentInvalid, 'agent_invalid')
    for (const { name } of [lost, gone, outer]) expect((await store.read(name)).entries).toEqual([])
  })

  test('a policy of a nested agent that names no tool is refused before anything runs, also if the graph was open', async () => {
    const back = agentOf('Back', [], { handoffs: () => [root] })
    const inner = agentOf('Inner', [], {
      tools: [back.asTool({ name: 'back' })],
      policy: humanInTheLoop({ interruptOn: { nothing: true } }),
    })
    const root: Agent = agentOf('Root', ['x'], { tools: [inner.asTool({ name: 'inner' })] })
    await refused(run(root, 'hi'), PolicyInvalid, 'policy_invalid')
  })

  test('an agent whose name cannot be that of a tool says what to pass', () => {
    const finance = agentOf('财务', [])
    expect(() => finance.asTool()).toThrow(/pass name to asTool/)
    expect(() => handoff(finance)).toThrow(/toolName to handoff/)
    expect(finance.asTool({ name: 'finance' }).name).toBe('finance')
    expect(handoff(finance, { toolName: 'to_finance' }).name).toBe('to_finance')
  })

  test('instructions that are no string are not sent', async () => {
    const result = await run(agentOf('Root', ['x'], { instructions: () => 5 }), 'hi')
    failedWith(result, AgentInvalid, 'agent_invalid')
  })

  test('a guardrail that stops a run says at which of its agents', async () => {
    const strict = { name: 'strict', execute: () => ({ tripwireTriggered: true }) }
    const inner = agentOf('Inner', ['no'], { inputGuardrails: [strict] })
    const root = agentOf('Root', [calls(['i', 'inner', { input: 'go' }])], { tools: [inner.asTool({ name: 'inner' })] })
    const error = failedWith(await run(root, 'hi'), GuardrailTripped, 'guardrail_tripped')
    expect(error).toMatchObject({ agent: 'Inner' })
    expect(error.message).toContain('"Inner"')
  })

  test('toolExecution that contradicts a resumed run is refused, and the same is accepted', async () => {
    const root = agentOf('Root', [calls(['p', 'pay']), 'done'], { tools: [gated('pay')] })
    const toolExecution = { preApprovalInputGuardrails: true }
    const paused = await run(root, 'hi', { toolExecution })
    await paused.state.approve(only(paused))
    for (const other of [{ preApprovalInputGuardrails: false }, { start: 'settled' as const }])
      await refused(run(root, paused.state, { toolExecution: other }), InputInvalid, 'input_invalid')
    expect((await run(root, paused.state, { toolExecution })).finalOutput).toBe('done')
  })
})

test('a formatter inside a nested run gets the arguments of the run', async () => {
  const seen: unknown[] = []
  const toolErrorFormatter = ({ kind, runContext }: { kind: string; runContext: { toolInput?: unknown } }) => {
    seen.push([kind, runContext.toolInput])
    return 'no'
  }
  const inner = agentOf('Inner', [calls(['n', 'nowhere'], ['p', 'pay']), calls(['q', 'pay']), 'ok'], {
    tools: [gated('pay')],
    toolErrorFormatter,
  })
  const root = agentOf('Root', [calls(['i', 'inner', { input: 'go' }]), 'done'], {
    tools: [inner.asTool({ name: 'inner' })],
  })
  const paused = await run(root, 'hi')
  await paused.state.reject(only(paused), { always: true })
  expect((await run(root, paused.state)).finalOutput).toBe('done')
  expect(new Set(seen.map((one) => JSON.stringify(one)))).toEqual(
    new Set(['["tool_not_found",{"input":"go"}]', '["approval_rejected",{"input":"go"}]']),
  )
})

describe('a filter of a hand-off', () => {
  const handOver = async (inputFilter: Parameters<typeof handoff>[1] & object) => {
    const model = scriptedModel(['billing here'])
    const triageModel = scriptedModel([calls(['l', 'look']), calls(['h', 'transfer_to_Billing']), 'I stay.'])
    const billing = new Agent({ name: 'Billing', model })
    const look = gated('look', { needsApproval: false })
    const triage = new Agent({
      name: 'Triage',
      model: triageModel,
      tools: [look],
      handoffs: [handoff(billing, inputFilter)],
    })
    return { result: await run(triage, 'hi'), model, triageModel }
  }

  test('that cuts between a call and its result shows the next agent neither of the two', async () => {
    for (const [cut, shown] of [
      [-1, []],
      [-2, ['h', 'h']],
      [-3, ['h', 'h']],
      [-4, ['l', 'l', 'h', 'h']],
    ] as const) {
      const { model, result } = await handOver({
        inputFilter: ({ messages }) => [{ role: 'user', content: 'In short: hi.' }, ...messages.slice(cut)],
      })
      expect(result.finalOutput).toBe('billing here')
      const ids = model.requests[0]?.messages.flatMap((message) =>
        message.role === 'assistant'
          ? (message.toolCalls ?? []).map(({ id }) => id)
          : message.role === 'tool'
            ? [message.toolCallId]
            : [],
      )
      expect(ids).toEqual(shown)
    }
  })

  test('that leaves nothing hands nothing over, and the model reads why', async () => {
    const { result, triageModel, model } = await handOver({ inputFilter: () => [] })
    expect(result.finalOutput).toBe('I stay.')
    expect(model.requests).toEqual([])
    expect(triageModel.requests[2]?.messages.at(-1)).toMatchObject({ isError: true })
  })
})
