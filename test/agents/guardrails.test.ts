import { describe, expect, test } from 'vitest'
import { AgentInvalid, GuardrailFailed, GuardrailTripped } from '../../src/protocol/errors/errors.ts'
import { Agent } from '../../src/runtime/agent/agent.ts'
import type { ToolGuardrailOutcome } from '../../src/runtime/definition/guardrails.ts'
import { run } from '../../src/runtime/run/run.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import { failedWith } from '../support/agents/failures.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only, resultsIn, toolMessage } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { entriesOf } from '../support/stores/entries.ts'

function recording<T>(say: (call: never) => T) {
  const seen: unknown[] = []
  const check = (call: never): T => {
    seen.push(call)
    return say(call)
  }
  return { seen, check }
}

describe('guardrails of an agent', () => {
  test('look at its input before the model is asked, once', async () => {
    const { seen, check } = recording(() => ({ tripwireTriggered: false }))
    const { agent } = scripted([calls(['a', 'act']), 'done'], [gated('act')], {
      inputGuardrails: [{ name: 'polite', execute: check }],
    })
    const paused = await run(agent, 'please')
    expect(seen).toMatchObject([{ agent: 'clerk', input: [{ role: 'user', content: 'please' }] }])
    await paused.state.approve(only(paused))
    await run(agent, paused.state)
    expect(seen).toHaveLength(1)
  })

  test('stop the run before anything is asked, and say why', async () => {
    const { agent, model } = scripted(['never'], [], {
      inputGuardrails: [{ name: 'polite', execute: () => ({ tripwireTriggered: true, outputInfo: { word: 'damn' } }) }],
    })
    const result = await run(agent, 'damn')
    const error = failedWith(result, GuardrailTripped, 'guardrail_tripped')
    expect(error).toMatchObject({ guardrail: 'polite', kind: 'input', outputInfo: { word: 'damn' } })
    expect(model.requests).toHaveLength(0)
  })

  test('look at input that was added while it was paused', async () => {
    const { seen, check } = recording(() => ({ tripwireTriggered: false }))
    const { agent } = scripted([calls(['a', 'act']), 'done'], [gated('act')], {
      inputGuardrails: [{ name: 'polite', execute: check }],
    })
    const paused = await run(agent, 'please')
    await paused.state.addInput('and hurry')
    await paused.state.approve(only(paused))
    await run(agent, paused.state)
    expect(seen[1]).toMatchObject({ input: [{ role: 'user', content: 'and hurry' }] })
  })

  test('look at the last answer, and one that is stopped is not stored', async () => {
    const store = memoryStore()
    let strict = true
    const { agent } = scripted(['The password is 1234.', 'I may not say.'], [], {
      outputGuardrails: [
        { name: 'secrets', execute: ({ output }) => ({ tripwireTriggered: strict && output.includes('password') }) },
      ],
    })
    const failed = await run(agent, 'tell me', { store, threadId: 't' })
    failedWith(failed, GuardrailTripped, 'guardrail_tripped')
    expect(JSON.stringify(await entriesOf(store, 't'))).not.toContain('1234')
    strict = false
    expect((await run(agent, failed.state)).finalOutput).toBe('I may not say.')
  })

  test('fail closed when they throw or make no sense', async () => {
    const broken = [() => Promise.reject(new Error('offline')), () => ({ ok: true }) as never]
    for (const execute of broken) {
      const { agent, model } = scripted(['never'], [], { inputGuardrails: [{ name: 'g', execute }] })
      failedWith(await run(agent, 'x'), GuardrailFailed, 'guardrail_failed')
      expect(model.requests).toHaveLength(0)
    }
  })

  test('are checked when the agent is built', () => {
    const build = () => scripted([], [], { inputGuardrails: [{ name: 'g', run: () => undefined } as never] })
    expect(build).toThrow(AgentInvalid)
  })
})

describe('guardrails of a tool', () => {
  function guarded(input: (call: { args: { n?: number } }) => ToolGuardrailOutcome, needsApproval = true) {
    const { seen, check } = recording(input as (call: never) => ToolGuardrailOutcome)
    const act = gated('act', { needsApproval, inputGuardrails: [{ name: 'sane', run: check }] } as never)
    return { seen, act, ...scripted([calls(['a', 'act', { n: 1 }]), 'done'], [act]) }
  }

  test('run after the approval, right before the body', async () => {
    const { agent, seen, act } = guarded(() => ({ behavior: 'allow' }))
    const paused = await run(agent, 'x')
    expect(seen).toHaveLength(0)
    await paused.state.approve(only(paused))
    await run(agent, paused.state)
    expect(seen).toMatchObject([{ agent: 'clerk', toolName: 'act', toolCallId: 'a', args: { n: 1 } }])
    expect(act.runs).toHaveLength(1)
  })

  test('let the model read something else instead', async () => {
    const { agent, model, act } = guarded(() => ({ behavior: 'rejectContent', message: 'not today' }), false)
    expect((await run(agent, 'x')).finalOutput).toBe('done')
    expect(resultsIn(model.requests[1]?.messages)).toEqual([['a', 'not today']])
    expect(act.runs).toHaveLength(0)
  })

  test('stop the run without spending the release', async () => {
    let open = false
    const { agent, act } = guarded(() => (open ? { behavior: 'allow' } : { behavior: 'throwException' }))
    const paused = await run(agent, 'x')
    await paused.state.approve(only(paused))
    failedWith(await run(agent, paused.state), GuardrailTripped, 'guardrail_tripped')
    open = true
    expect((await run(agent, paused.state)).status).toBe('completed')
    expect(act.runs).toHaveLength(1)
  })

  test('with preApprovalInputGuardrails nobody is asked about what they refuse', async () => {
    const { agent, model } = guarded(() => ({ behavior: 'rejectContent', message: 'not today' }))
    const result = await run(agent, 'x', { toolExecution: { preApprovalInputGuardrails: true } })
    expect(result.finalOutput).toBe('done')
    expect(toolMessage(model.requests[1]?.messages).content).toBe('not today')
  })

  test('with preApprovalInputGuardrails what they allow is asked, and they are asked again before it runs', async () => {
    const store = memoryStore()
    const { agent, seen } = guarded(() => ({ behavior: 'allow' }))
    const toolExecution = { preApprovalInputGuardrails: true }
    const paused = await run(agent, 'x', { toolExecution, store, threadId: 't' })
    expect(seen).toHaveLength(1)
    await run(agent, paused.state)
    expect(seen).toHaveLength(1)
    await paused.state.approve(only(paused))
    await run(agent, paused.state)
    expect(seen).toHaveLength(2)
  })

  test('cannot change what runs', async () => {
    const { agent, act } = guarded((call) => {
      call.args.n = 99
      return { behavior: 'allow' }
    }, false)
    await run(agent, 'x')
    expect(act.runs[0]?.args).toEqual({ n: 1 })
  })

  test('of its output replace what the model reads', async () => {
    const act = gated('act', {
      needsApproval: false,
      execute: () => 'card 4111',
      outputGuardrails: [{ name: 'pii', run: () => ({ behavior: 'rejectContent', message: '[redacted]' }) }],
    } as never)
    const { agent, model } = scripted([calls(['a', 'act']), 'done'], [act])
    await run(agent, 'x')
    expect(toolMessage(model.requests[1]?.messages).content).toBe('[redacted]')
  })

  test('G2: of its output stop the run, but what ran is recorded and does not run again', async () => {
    const act = gated('act', {
      needsApproval: false,
      outputGuardrails: [{ name: 'pii', run: () => ({ behavior: 'throwException' }) }],
    } as never)
    const { agent, model } = scripted([calls(['a', 'act']), 'done'], [act])
    const failed = await run(agent, 'x')
    failedWith(failed, GuardrailTripped, 'guardrail_tripped')
    expect((await run(agent, failed.state)).finalOutput).toBe('done')
    expect(act.runs).toHaveLength(1)
    expect(toolMessage(model.requests[1]?.messages).content).toContain('withholds')
  })

  test('stand around an agent that is called as a tool, too', async () => {
    const inner = new Agent({ name: 'inner', model: scriptedModel(['secret']) })
    const asTool = inner.asTool({
      inputGuardrails: [{ name: 'in', run: () => ({ behavior: 'allow' }) }],
      outputGuardrails: [{ name: 'out', run: () => ({ behavior: 'rejectContent', message: 'hidden' }) }],
    })
    const { agent, model } = scripted([calls(['i', 'inner', { input: 'x' }]), 'done'], [asTool])
    await run(agent, 'x')
    expect(resultsIn(model.requests[1]?.messages)).toEqual([['i', 'hidden']])
  })
})
