import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { Agent, handoff, memoryStore, RunState, run, type ToolUse, tool } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { assertValidHistory, only } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

function says(name: string, text: string, options: object = {}) {
  return tool({ name, description: '', parameters: z.object({}), execute: () => text, ...options })
}

const weather = () => says('weather', 'Sunny.')
const news = () => says('news', 'Nothing new.')

test('stop_on_first_tool ends the run with the first result, and the model is not asked again', async () => {
  const { agent, model } = scripted([calls(['a', 'weather'], ['b', 'news'])], [weather(), news()], {
    toolUseBehavior: 'stop_on_first_tool',
  })
  const done = await run(agent, 'go')
  expect(done).toMatchObject({ status: 'completed', finalOutput: 'Sunny.', usage: { requests: 1 } })
  expect(done.state.currentTurn).toBe(1)
  expect(model.requests).toHaveLength(1)
  assertValidHistory(done.state.messages)
  expect(done.state.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Sunny.', stopReason: 'stop' })
})

test('run_llm_again is the default, and can be named', async () => {
  for (const options of [{}, { toolUseBehavior: 'run_llm_again' as const }]) {
    const { agent } = scripted([calls(['a', 'weather']), 'It is sunny.'], [weather()], options)
    expect(await run(agent, 'go')).toMatchObject({ finalOutput: 'It is sunny.' })
  }
})

test('stopAtToolNames ends the run at these tools alone, by any of their names', async () => {
  const behavior = { toolUseBehavior: { stopAtToolNames: ['forecast'] } }
  const named = says('weather', 'Sunny.', { aliases: ['forecast'] })
  const script = [calls(['a', 'news']), calls(['b', 'news'], ['c', 'weather'])]
  const { agent, model } = scripted(script, [news(), named], behavior)
  expect(await run(agent, 'go')).toMatchObject({ status: 'completed', finalOutput: 'Sunny.' })
  expect(model.requests).toHaveLength(2)
})

test('a function gets every call of the turn with its outcome, and decides', async () => {
  const seen: ToolUse[][] = []
  const { agent } = scripted(
    [calls(['a', 'weather'], ['b', 'pay', { n: 1 }], ['c', 'weather', { wrong: '' }]), calls(['d', 'weather'])],
    [says('weather', 'Sunny.', { parameters: z.strictObject({}) }), gated('pay')],
    {
      toolUseBehavior: (runContext, toolUses) => {
        expectTypeOf(toolUses).toEqualTypeOf<readonly ToolUse[]>()
        expect(runContext.context).toEqual({ user: 'ann' })
        seen.push([...toolUses])
        return seen.length === 1 ? { isFinalOutput: false } : { isFinalOutput: true, finalOutput: 'All done.' }
      },
    },
  )
  const paused = await run(agent, 'go', { context: { user: 'ann' } })
  await paused.state.reject(only(paused), { message: 'Too much.' })
  expect(await run(agent, paused.state)).toMatchObject({ status: 'completed', finalOutput: 'All done.' })
  // Invalid arguments are for the model alone.
  expect(seen[0]).toEqual([
    { toolName: 'weather', toolCallId: 'a', args: {}, result: { content: 'Sunny.' }, outcome: 'finished' },
    {
      toolName: 'pay',
      toolCallId: 'b',
      args: { n: 1 },
      result: { content: 'Too much.', isError: true },
      outcome: 'rejected',
    },
  ])
})

test('the text of a rejection can be the final output, also after a restart elsewhere', async () => {
  const pay = gated('pay')
  const options = { toolUseBehavior: 'stop_on_first_tool' as const }
  const paused = await run(scripted([calls(['a', 'pay'])], [pay], options).agent, 'go')
  const text = paused.state.toString()
  const { agent } = scripted([], [pay], options)
  const restored = await RunState.fromString(agent, text)
  await restored.reject(restored.interruptions[0]!, { message: 'Ask your manager.' })
  expect(await run(agent, restored)).toMatchObject({ status: 'completed', finalOutput: 'Ask your manager.' })
  expect(pay.runs).toEqual([])
})

test('the note about an edit is for the model, not for the final output', async () => {
  const store = memoryStore()
  const pay = gated('pay', { execute: () => 'Paid.' })
  const { agent } = scripted([calls(['a', 'pay', { n: 1 }])], [pay], { toolUseBehavior: 'stop_on_first_tool' })
  const paused = await run(agent, 'go', { store, threadId: 't' })
  await paused.state.edit(only(paused), { args: { n: 2 }, message: 'less' })
  expect(await run(agent, paused.state)).toMatchObject({ status: 'completed', finalOutput: 'Paid.' })
})

test('a run at its limit of turns ends with the results of its tools', async () => {
  const { agent } = scripted([calls(['a', 'weather'])], [weather()], { toolUseBehavior: 'stop_on_first_tool' })
  expect(await run(agent, 'go', { maxTurns: 1 })).toMatchObject({ status: 'completed', finalOutput: 'Sunny.' })
})

test('calls with invalid arguments do not end the run: the model reads what is wrong', async () => {
  const strict = says('weather', 'Sunny.', { parameters: z.strictObject({}) })
  const { agent, model } = scripted([calls(['a', 'weather', { x: 1 }]), calls(['b', 'weather'])], [strict], {
    toolUseBehavior: 'stop_on_first_tool',
  })
  expect(await run(agent, 'go')).toMatchObject({ status: 'completed', finalOutput: 'Sunny.' })
  expect(model.requests).toHaveLength(2)
})

test('a hand-off goes on with the next agent, whatever the first one does with results', async () => {
  const billing = new Agent({ name: 'billing', model: scriptedModel(['Billing here.']) })
  const { agent } = scripted([calls(['a', 'weather'], ['h', 'transfer_to_billing'])], [weather()], {
    toolUseBehavior: 'stop_on_first_tool',
    handoffs: [handoff(billing)],
  })
  expect(await run(agent, 'go')).toMatchObject({ status: 'completed', finalOutput: 'Billing here.' })
})

test('input that arrived meanwhile is answered by the model first', async () => {
  const { agent } = scripted([calls(['a', 'pay']), 'Two things, then.'], [gated('pay')], {
    toolUseBehavior: 'stop_on_first_tool',
  })
  const paused = await run(agent, 'go')
  await paused.state.addInput('And the weather?')
  await paused.state.approve(only(paused))
  expect(await run(agent, paused.state)).toMatchObject({ status: 'completed', finalOutput: 'Two things, then.' })
})

test('an agent that is called as a tool ends the same way', async () => {
  const helper = new Agent({
    name: 'helper',
    model: scriptedModel([calls(['x', 'weather'])]),
    tools: [weather()],
    toolUseBehavior: 'stop_on_first_tool',
  })
  const { agent, model } = scripted([calls(['a', 'helper', { input: 'weather?' }]), 'Done.'], [helper.asTool()])
  expect(await run(agent, 'go')).toMatchObject({ status: 'completed', finalOutput: 'Done.' })
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Sunny.' })
})

test('output guardrails, gates and the output type apply to the results of tools too', async () => {
  const trip = {
    name: 'no sun',
    execute: ({ output }: { output: string }) => ({ tripwireTriggered: /Sun/.test(output) }),
  }
  const options = { toolUseBehavior: 'stop_on_first_tool' as const }
  const guarded = scripted([calls(['a', 'weather'])], [weather()], { ...options, outputGuardrails: [trip] })
  expect(await run(guarded.agent, 'go')).toMatchObject({ status: 'failed', error: { code: 'guardrail_tripped' } })

  const gate = {
    name: 'gate',
    afterModel: ({ message }: { message: { toolCalls?: unknown[] } }) =>
      message.toolCalls ? undefined : { hold: { description: 'Send it?' } },
  }
  const held = scripted([calls(['a', 'weather']), 'Rain.'], [weather()], { ...options, middleware: [gate as never] })
  const paused = await run(held.agent, 'go')
  expect(only(paused)).toMatchObject({ reason: 'final_answer', preview: 'Sunny.' })
  await paused.state.reject(only(paused), { message: 'Look again' })
  const again = await run(held.agent, paused.state)
  expect(only(again)).toMatchObject({ preview: 'Rain.' })

  const typed = (result: string) =>
    new Agent({
      name: 'typed',
      model: scriptedModel([calls(['a', 'pay']), '{"sun":false}']),
      tools: [
        tool({ name: 'pay', description: '', parameters: z.object({}), needsApproval: true, execute: () => result }),
      ],
      outputType: z.object({ sun: z.boolean() }),
      ...options,
    })
  const decide = async (agent: ReturnType<typeof typed>, how: 'approve' | 'reject') => {
    const waits = await run(agent, 'go')
    await waits.state[how](waits.interruptions[0]!)
    return run(agent, waits.state)
  }
  expect(await decide(typed('{"sun":true}'), 'approve')).toMatchObject({
    status: 'completed',
    finalOutput: { sun: true },
  })
  // A rejection is not of the output type: the model reads it and answers.
  expect(await decide(typed('{"sun":true}'), 'reject')).toMatchObject({ finalOutput: { sun: false } })
  expect(await decide(typed('Sunny.'), 'approve')).toMatchObject({ status: 'failed', error: { code: 'agent_invalid' } })
})

test('a behaviour that is misspelt, names no tool, throws or returns something else is refused', async () => {
  const make = (toolUseBehavior: unknown) => () =>
    scripted([calls(['a', 'weather'])], [weather()], { toolUseBehavior: toolUseBehavior as never }).agent
  for (const wrong of ['stop', {}, { stopAtToolNames: [] }, { stopAtToolNames: ['weather'], also: 1 }, null])
    expect(make(wrong)).toThrow('toolUseBehavior must be')
  expect(make({ stopAtToolNames: ['wether'] })).toThrow('"wether", which is none of its tools')
  for (const returned of ['x', { isFinalOutput: true }, { isFinalOutput: true, finalOutput: 5 }, undefined])
    expect(await run(make(() => returned)(), 'go')).toMatchObject({
      status: 'failed',
      error: { code: 'policy_failed' },
    })
  const throws = () => {
    throw new Error('oops')
  }
  expect(await run(make(throws)(), 'go')).toMatchObject({ status: 'failed', error: { code: 'policy_failed' } })
})
