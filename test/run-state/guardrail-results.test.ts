import { expect, it } from 'vitest'
import { GuardrailFailed, GuardrailTripped } from '../../src/protocol/errors/errors.ts'
import { run } from '../../src/runtime/run/run.ts'
import { RunState } from '../../src/runtime/run/run-state.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { failedWith } from '../support/agents/failures.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { entriesOf } from '../support/stores/entries.ts'

const polite = (trips: () => boolean = () => false) => ({
  name: 'polite',
  execute: () => ({ tripwireTriggered: trips(), outputInfo: { words: 2 } }),
})
const secrets = { name: 'secrets', execute: () => ({ tripwireTriggered: false }) }

const checked = (tripwireTriggered = false) => ({
  guardrail: { type: 'input', name: 'polite' },
  agent: 'clerk',
  output: { tripwireTriggered, outputInfo: { words: 2 } },
})
const answered = {
  guardrail: { type: 'output', name: 'secrets' },
  agent: 'clerk',
  output: { tripwireTriggered: false },
}

function clerk(trips?: () => boolean) {
  return scripted([calls(['a', 'act']), 'done', 'again'], [gated('act')], {
    inputGuardrails: [polite(trips)],
    outputGuardrails: [secrets],
  })
}

it('results of guardrails can be read, survive a serialised state, and grow when the run goes on', async () => {
  const { agent } = clerk()
  const paused = await run(agent, 'please')
  expect(paused.inputGuardrailResults).toEqual([checked()])
  expect(paused.outputGuardrailResults).toEqual([])
  const state = await RunState.fromString(agent, paused.state.toString(), { trust: true })
  expect(state.inputGuardrailResults).toEqual([checked()])
  await state.approve(only(paused).id)
  const done = await run(agent, state)
  expect([done.inputGuardrailResults, done.outputGuardrailResults]).toEqual([[checked()], [answered]])
  expect(done.state.outputGuardrailResults).toEqual([answered])
  // A result shows what was known when it was made.
  expect(paused.outputGuardrailResults).toEqual([])
})

it('results of guardrails survive a restart: another process reads them from the store', async () => {
  const store = memoryStore()
  const { agent } = clerk()
  const paused = await run(agent, 'please', { store, threadId: 't' })
  await paused.state.approve(only(paused))
  const loaded = await RunState.load(agent, { store, threadId: 't' })
  expect(loaded.inputGuardrailResults).toEqual([checked()])
  await run(agent, loaded)
  const later = await RunState.load(agent, { store, threadId: 't' })
  expect(later.outputGuardrailResults).toEqual([answered])
})

it('the result of an input guardrail that stopped the run is kept, and takes no turn', async () => {
  const store = memoryStore()
  let strict = true
  const { agent, model } = clerk(() => strict)
  const stopped = await run(agent, 'damn', { store, threadId: 't' })
  failedWith(stopped, GuardrailTripped, 'guardrail_tripped')
  expect(stopped.inputGuardrailResults).toEqual([checked(true)])
  expect([stopped.state.currentTurn, stopped.usage.requests, model.requests.length]).toEqual([0, 0, 0])
  strict = false
  const loaded = await RunState.load(agent, { store, threadId: 't' })
  expect(loaded.inputGuardrailResults).toEqual([checked(true)])
  const paused = await run(agent, loaded)
  expect(paused.inputGuardrailResults).toEqual([checked(true), checked()])
})

it('the result of an output guardrail that stopped the run is kept, and the answer is not', async () => {
  const store = memoryStore()
  const { agent } = scripted(['The password is 1234.'], [], {
    outputGuardrails: [{ name: 'secrets', execute: () => ({ tripwireTriggered: true, outputInfo: 'a password' }) }],
  })
  const stopped = await run(agent, 'tell me', { store, threadId: 't' })
  const [result, ...more] = stopped.outputGuardrailResults
  expect(result).toMatchObject({ output: { tripwireTriggered: true, outputInfo: 'a password' } })
  expect(more).toEqual([])
  expect(JSON.stringify(await entriesOf(store, 't'))).not.toContain('1234')
})

it('the result of an output guardrail that stopped an answer made of tool results is kept', async () => {
  const { agent } = scripted([calls(['a', 'act'])], [gated('act', { needsApproval: false } as never)], {
    toolUseBehavior: 'stop_on_first_tool',
    outputGuardrails: [{ name: 'secrets', execute: () => ({ tripwireTriggered: true }) }],
  })
  const stopped = await run(agent, 'x')
  failedWith(stopped, GuardrailTripped, 'guardrail_tripped')
  expect(stopped.outputGuardrailResults).toMatchObject([{ output: { tripwireTriggered: true } }])
})

it('a streamed run has the results too', async () => {
  const { agent } = clerk()
  const stream = await run(agent, 'please', { stream: true })
  await stream.completed
  expect(stream.inputGuardrailResults).toEqual([checked()])
  expect(stream.outputGuardrailResults).toEqual([])
})

it('what is read is a copy', async () => {
  const { agent } = clerk()
  const { state } = await run(agent, 'please')
  state.inputGuardrailResults[0]!.output.tripwireTriggered = true
  expect(state.inputGuardrailResults).toEqual([checked()])
})

it('a guardrail whose outputInfo is not JSON fails closed', async () => {
  const { agent, model } = scripted(['never'], [], {
    inputGuardrails: [{ name: 'g', execute: () => ({ tripwireTriggered: false, outputInfo: new Date() as never }) }],
  })
  failedWith(await run(agent, 'x'), GuardrailFailed, 'guardrail_failed')
  expect(model.requests).toHaveLength(0)
})
