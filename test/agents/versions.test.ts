import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { AgentInvalid, AgentVersionMissing, InputInvalid } from '../../src/protocol/errors/errors.ts'
import { Agent } from '../../src/runtime/agent/agent.ts'
import { tool } from '../../src/runtime/definition/tool/tool.ts'
import { Journal } from '../../src/runtime/journal/journal.ts'
import { assess } from '../../src/runtime/restore/assess.ts'
import { run } from '../../src/runtime/run/run.ts'
import { Runner } from '../../src/runtime/run/runner.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { type ScriptStep, scriptedModel } from '../../src/testing/scripted-model.ts'
import { refused } from '../support/agents/failures.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'

function clerk(version: string, tool: string, script: readonly ScriptStep[]) {
  const act = gated(tool)
  return { act, agent: new Agent({ name: 'clerk', version, model: scriptedModel(script), tools: [act] }) }
}

test('a resumed run goes on with the version that it was started on', async () => {
  const v1 = clerk('1', 'refund', [calls(['r', 'refund']), 'done by v1'])
  const v2 = clerk('2', 'credit', [calls(['c', 'credit'])])
  const runner = new Runner({ agents: { 1: v1.agent, 2: v2.agent } })
  const paused = await runner.run(v1.agent, 'x')
  const text = paused.state.toString()

  const state = await runner.fromString(text)
  expect(state.agentVersion).toBe('1')
  await state.approve(only(paused))
  // The current agent is passed as ever; the run still belongs to the old one.
  const done = await runner.run(v2.agent, state)
  expect(done.finalOutput).toBe('done by v1')
  expect(v1.act.runs).toHaveLength(1)
  expect(only(await runner.run(v2.agent, 'y')).toolName).toBe('credit')
})

test('so does one that is restored with another context', async () => {
  const told: unknown[] = []
  const v1 = clerk('1', 'refund', [calls(['r', 'refund']), 'done by v1'])
  const { agent } = v1
  const runner = new Runner({ agents: { 1: agent, 2: clerk('2', 'credit', []).agent } })
  const paused = await runner.run(agent, 'x', { context: { desk: 1 } })
  await paused.state.approve(only(paused))
  const text = paused.state.toString()
  for (const contextStrategy of ['merge', 'replace'] as const) {
    const state = await runner.fromStringWithContext(text, { desk: 2 }, { contextStrategy })
    expect(state.agentVersion).toBe('1')
    told.push(state.interruptions.length)
    expect(state.toString()).toContain('"desk":2')
  }
  // Merged, the yes counts; replaced, it is asked for again.
  expect(told).toEqual([0, 1])
  await refused(runner.fromStringWithContext(undefined as never, {}), InputInvalid, 'input_invalid')
})

test('the same from a store', async () => {
  const store = memoryStore()
  const v1 = clerk('1', 'refund', [calls(['r', 'refund']), 'done by v1'])
  const v2 = clerk('2', 'credit', [])
  const runner = new Runner({ agents: { 1: v1.agent, 2: v2.agent } })
  const paused = await runner.run(v1.agent, 'x', { store, threadId: 't' })
  const state = await runner.load({ store, threadId: 't' })
  await state.approve(only(paused))
  expect((await runner.run(v2.agent, state)).finalOutput).toBe('done by v1')
})

test('a run that an operator moved is decided and goes on with the version that it was moved to', async () => {
  const store = memoryStore()
  const v1 = clerk('1', 'refund', [calls(['r', 'refund']), 'done by v1'])
  const v2 = clerk('2', 'refund', ['done by v2'])
  const runner = new Runner({ agents: { 1: v1.agent, 2: v2.agent } })
  const paused = await runner.run(v1.agent, 'x', { store, threadId: 't' })
  const moved = { v: 1, type: 'run.moved', run: paused.runId, agent: { id: 'clerk', name: 'clerk', version: '2' } }
  const by = { kind: 'person', id: 'op' }
  await store.append({ threadId: 't', entries: [JSON.stringify({ ...moved, by, reason: 'a new one' })] })
  const state = await runner.load({ store, threadId: 't', messages: true })
  // Edits are checked with its code.
  expect(state.agent).toBe(v2.agent)
  expect((await runner.fromString(state.toString())).agent).toBe(v2.agent)
  await state.approve(only(paused))
  expect((await runner.run(v1.agent, state)).finalOutput).toBe('done by v2')
})

test('a version that the runner does not have is refused, and nothing is lost', async () => {
  const v1 = clerk('1', 'refund', [calls(['r', 'refund']), 'done'])
  const paused = await new Runner().run(v1.agent, 'x')
  const later = new Runner({ agents: { 2: clerk('2', 'credit', []).agent } })
  const error = await refused(later.fromString(paused.state.toString()), AgentVersionMissing, 'agent_version_missing')
  expect(error).toMatchObject({ version: '1', known: ['2'] })
  const again = new Runner({ agents: { 1: v1.agent } })
  expect((await again.fromString(paused.state.toString())).interruptions).toHaveLength(1)
})

test('a runner streams, and what it and a run say of toolExecution counts together', async () => {
  const looks: string[] = []
  const inputGuardrails = [
    {
      name: 'sane',
      run: () => {
        looks.push('look')
        return { behavior: 'allow' as const }
      },
    },
  ]
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({}),
    needsApproval: true,
    inputGuardrails,
    execute: () => 'paid',
  })
  const agent = new Agent({
    name: 'clerk',
    version: '1',
    model: scriptedModel([calls(['p', 'pay']), 'All done.'], { stream: true }),
    tools: [pay],
  })
  const runner = new Runner({ agents: { 1: agent }, toolExecution: { preApprovalInputGuardrails: true } })
  const stream = await runner.run(agent, 'x', { stream: true, toolExecution: { start: 'settled' } })
  const paused = await stream.completed
  expect(looks).toHaveLength(1)

  // Another runner's habits are not those of a run that goes on.
  const other = new Runner({ agents: { 1: agent }, toolExecution: { preApprovalInputGuardrails: false } })
  const state = await other.fromString(paused.state.toString())
  await state.approve(only(paused))
  const words: string[] = []
  for await (const text of (await other.run(agent, state, { stream: true })).toTextStream()) words.push(text)
  expect(words.join('')).toBe('All done.')
  expect(() => new Runner({ toolExecution: { preApproval: true } as never })).toThrow(InputInvalid)
})

test('an agent under the wrong key is an error when the runner is built', () => {
  expect(() => new Runner({ agents: { 2: clerk('1', 'refund', []).agent } })).toThrow(AgentInvalid)
  expect(() => new Runner({ agents: { 2: {} as never } })).toThrow(AgentInvalid)
})

test('a version that was built with another installed copy of holdpoint is run by that copy', async () => {
  vi.resetModules()
  const old = await import('../../src/index.ts')
  const testing = await import('../../src/testing.ts')
  expect(old.Agent).not.toBe(Agent)
  const ran: string[] = []
  const refund = old.tool({
    name: 'refund',
    description: 'Refunds.',
    parameters: (await import('zod')).z.object({}),
    needsApproval: true,
    execute: () => ran.push('refund'),
  })
  const model = testing.scriptedModel([{ toolCalls: [{ id: 'r', name: 'refund', args: {} }] }, 'done by the old copy'])
  const oldAgent = new old.Agent({ name: 'clerk', version: '1', model, tools: [refund] })
  const store = memoryStore()
  const paused = await old.run(oldAgent, 'x', { store, threadId: 't' })

  const v2 = clerk('2', 'credit', [])
  const runner = new Runner({ agents: { 1: { agent: oldAgent, holdpoint: old as never }, 2: v2.agent } })
  const text = paused.state.toString()
  for (const state of [
    await runner.fromString(text),
    await runner.fromStringWithContext(text, { desk: 2 }),
    await runner.load({ store, threadId: 't' }),
  ])
    expect(state.interruptions).toHaveLength(1)
  const state = await runner.load({ store, threadId: 't' })
  await state.approve(state.interruptions[0]!)
  expect((await runner.run(v2.agent, state)).finalOutput).toBe('done by the old copy')
  expect(ran).toEqual(['refund'])
})

test('options of the runner count for every run, and a run may have its own', async () => {
  const make = () => clerk('1', 'refund', [calls(['r', 'refund']), 'ok'])
  const runner = new Runner({ toolErrorFormatter: () => 'the runner says no' })
  for (const [options, words] of [
    [{}, 'the runner says no'],
    [{ toolErrorFormatter: () => 'I say no' }, 'I say no'],
  ] as const) {
    const { agent } = make()
    const paused = await runner.run(agent, 'x')
    await paused.state.reject(only(paused))
    const done = await runner.run(agent, paused.state, options)
    expect(JSON.stringify(done.state.messages)).toContain(words)
  }
})

test('a paused run needs a second look when an agent inside it has another version', async () => {
  const boss = (inner: string | undefined) => {
    const pay = gated('pay')
    const model = scriptedModel([calls(['p', 'pay'])])
    const version = inner === undefined ? {} : { version: inner }
    const payer = new Agent({ name: 'payer', model, tools: [pay], ...version })
    return new Agent({
      name: 'boss',
      model: scriptedModel([calls(['c', 'payer', { input: 'pay' }])]),
      tools: [payer.asTool({ name: 'payer' })],
    })
  }
  const store = memoryStore()
  await run(boss('1'), 'go', { store, threadId: 't' })
  const { state } = await Journal.open(store, 't')
  expect(assess(boss('1'), state)).toEqual({ kind: 'unaffected', reasons: [] })
  for (const [version, word] of [
    ['2', '2'],
    [undefined, 'none'],
  ] as const)
    expect(assess(boss(version), state)).toEqual({
      kind: 'second-look',
      reasons: [`agent "payer" began on version 1, and is version ${word}`],
    })
})
