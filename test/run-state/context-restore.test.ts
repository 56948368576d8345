import { describe, expect, it } from 'vitest'
import { memoryStore, type RunContext, RunState, run, StateDiverged } from '../../src/index.ts'
import { InputInvalid } from '../../src/ports.ts'
import { ContextInvalid, StateSignatureInvalid } from '../../src/protocol/errors/errors.ts'
import { refused } from '../support/agents/failures.ts'
import { free, gated } from '../support/agents/recording-tools.ts'
import { only, toolMessage } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { entriesOf } from '../support/stores/entries.ts'

const ZERO = { requests: 0, inputTokens: 0, outputTokens: 0, totalTokens: 0 }

/** An agent whose rules and tools note the context that they see. */
function noting(script: Parameters<typeof scripted>[0]) {
  const seen: RunContext[] = []
  const pay = gated('pay', {
    needsApproval: (runContext: RunContext) => {
      seen.push(runContext)
      return true
    },
  } as never)
  const look = free('look', {
    needsApproval: (runContext: RunContext) => {
      seen.push(runContext)
      return false
    },
  } as never)
  return {
    seen,
    pay,
    look,
    ...scripted(script, [pay, look], { instructions: ({ context }) => JSON.stringify(context) }),
  }
}

describe('merging a context into a restored run', () => {
  it('keeps the decisions, and everything from here on sees the new context', async () => {
    const { agent, model, pay, seen } = noting([calls(['a', 'pay']), calls(['b', 'look']), 'Done.'])
    const paused = await run(agent, 'go', { context: { user: 'ann' } })
    await paused.state.approve('a')
    const state = await RunState.fromStringWithContext(agent, paused.state.toString(), { user: 'bob' })
    expect(state.interruptions).toEqual([])
    const done = await run(agent, state)
    expect(done).toMatchObject({ status: 'completed', finalOutput: 'Done.' })
    expect(pay.runs.map(({ ctx }) => ctx.context)).toEqual([{ user: 'bob' }])
    expect(seen.map(({ context }) => context)).toEqual([{ user: 'ann' }, { user: 'bob' }])
    expect(model.requests.map(({ instructions }) => instructions)).toEqual([
      '{"user":"ann"}',
      '{"user":"bob"}',
      '{"user":"bob"}',
    ])
  })

  it('is a fact of the run: later texts have it, and it can be replaced again', async () => {
    const { agent, pay } = noting([calls(['a', 'pay']), 'Done.'])
    const paused = await run(agent, 'go', { context: 1 })
    const once = await RunState.fromStringWithContext(agent, paused.state.toString(), 2)
    const twice = await RunState.fromStringWithContext(agent, once.toString(), [3])
    const restored = await RunState.fromString(agent, twice.toString())
    await restored.approve('a')
    await run(agent, restored)
    expect(pay.runs.map(({ ctx }) => ctx.context)).toEqual([[3]])
  })

  it('writes nothing if nothing changes', async () => {
    const { agent } = noting([calls(['a', 'pay']), 'Done.'])
    const text = (await run(agent, 'go', { context: { user: 'ann' } })).state.toString()
    expect((await RunState.fromStringWithContext(agent, text, { user: 'ann' })).toString()).toBe(text)
  })

  it('takes the stored toolInput only if none is given', async () => {
    const { agent, seen } = noting([calls(['a', 'pay']), calls(['b', 'look']), 'Done.'])
    const paused = await run(agent, 'go')
    const given = { context: { n: 1 }, toolInput: { topic: 'tea' } }
    const once = await RunState.fromStringWithContext(agent, paused.state.toString(), given as never)
    const kept = await RunState.fromStringWithContext(agent, once.toString(), { context: { n: 2 } })
    await kept.approve('a')
    await run(agent, kept)
    expect(seen.at(-1)).toMatchObject({ context: { n: 2 }, toolInput: { topic: 'tea' } })

    const other = { context: { n: 3 }, toolInput: 'coffee' }
    const replaced = await RunState.fromStringWithContext(agent, once.toString(), other)
    expect(replaced.toString()).toContain('"toolInput":"coffee"')
  })

  it('counts usage from the one that is given, and goes on counting if none is', async () => {
    const usage = { requests: 1, inputTokens: 10, outputTokens: 1, totalTokens: 11 }
    const { agent } = noting([{ toolCalls: [{ id: 'a', name: 'pay', args: {} }], usage }, 'Done.'])
    const text = (await run(agent, 'go')).state.toString()
    expect((await RunState.fromStringWithContext(agent, text, { n: 1 })).usage).toEqual(usage)
    const fresh: RunContext = { context: { n: 1 }, usage: ZERO }
    expect((await RunState.fromStringWithContext(agent, text, fresh)).usage).toEqual(ZERO)
  })

  it('wraps whatever is not a RunContext', async () => {
    const { agent, pay } = noting([calls(['a', 'pay']), 'Done.'])
    const text = (await run(agent, 'go')).state.toString()
    const own = { context: 'my word', other: true }
    const state = await RunState.fromStringWithContext(agent, text, own)
    await state.approve('a')
    await run(agent, state)
    expect(pay.runs[0]?.ctx.context).toEqual(own)
  })

  it('leaves a run that is over as it is', async () => {
    const { agent } = noting(['Done.'])
    const text = (await run(agent, 'go')).state.toString()
    const state = await RunState.fromStringWithContext(agent, text, { n: 1 }, { contextStrategy: 'replace' })
    expect(await run(agent, state)).toMatchObject({ status: 'completed', finalOutput: 'Done.' })
  })
})

describe('replacing the context of a restored run', () => {
  const replace = { contextStrategy: 'replace' } as const

  it('withdraws decisions that were not acted on, and asks again', async () => {
    const { agent, pay, model } = noting([calls(['a', 'pay'], ['b', 'pay'], ['c', 'pay']), 'Done.'])
    const paused = await run(agent, 'go', { context: { user: 'ann' } })
    await paused.state.approve('a')
    await paused.state.reject('b', { message: 'no' })
    const changed = await RunState.fromStringWithContext(agent, paused.state.toString(), { user: 'bob' }, replace)
    // Also after one more trip through a text.
    const state = await RunState.fromString(agent, changed.toString())
    expect(state.interruptions.map(({ toolCallId, version }) => [toolCallId, version])).toEqual([
      ['a', 3],
      ['b', 3],
      ['c', 1],
    ])
    const again = await run(agent, state)
    expect(again.status).toBe('interrupted')
    expect(pay.runs).toEqual([])
    await again.state.decide({ decisions: [{ type: 'approve' }, { type: 'approve' }, { type: 'reject' }] })
    expect((await run(agent, again.state)).finalOutput).toBe('Done.')
    expect(pay.runs.map(({ ctx }) => [ctx.toolCallId, ctx.context])).toEqual([
      ['a', { user: 'bob' }],
      ['b', { user: 'bob' }],
    ])
    model.assertConsumed()
  })

  it('takes standing decisions back, whatever they reach', async () => {
    for (const always of [true, { scope: 'agent' }, { scope: 'tenant' }] as const) {
      const { agent, pay } = noting([calls(['a', 'pay']), calls(['b', 'pay']), 'Done.'])
      const paused = await run(agent, 'go')
      await paused.state.approve('a', { always })
      const changed = await RunState.fromStringWithContext(agent, paused.state.toString(), null, replace)
      const state = await RunState.fromString(agent, changed.toString())
      expect(only(await run(agent, state)).toolCallId).toBe('a')
      await state.approve('a')
      expect(only(await run(agent, state)).toolCallId).toBe('b')
      expect(pay.runs).toHaveLength(1)
    }
  })

  it('drops a toolInput that is not given again', async () => {
    const { agent } = noting([calls(['a', 'pay']), 'Done.'])
    const text = (await run(agent, 'go')).state.toString()
    const once = await RunState.fromStringWithContext(agent, text, { context: 1, toolInput: 'tea' })
    const state = await RunState.fromStringWithContext(agent, once.toString(), { context: 1 }, replace)
    const { entries } = JSON.parse(state.toString()) as { entries: [number, { type: string }][] }
    expect(entries.at(-1)?.[1]).toEqual({
      v: 1,
      type: 'context.replaced',
      run: state.runId,
      strategy: 'replace',
      context: 1,
    })
  })

  it('does not touch what already ran', async () => {
    const { agent, pay, model } = noting([calls(['a', 'pay'], ['b', 'pay']), 'Done.'])
    const paused = await run(agent, 'go')
    await paused.state.approve('a')
    const half = await run(agent, paused.state)
    expect(only(half).toolCallId).toBe('b')
    const state = await RunState.fromStringWithContext(agent, half.state.toString(), null, replace)
    expect(state.interruptions.map(({ toolCallId }) => toolCallId)).toEqual(['b'])
    await state.reject('b')
    await run(agent, state)
    expect(pay.runs.map(({ ctx }) => ctx.toolCallId)).toEqual(['a'])
    model.assertConsumed()
  })

  it('asks again about an answer that waits behind a gate', async () => {
    const { agent } = scripted(['The answer.', 'unused'], [], {
      middleware: [{ name: 'gate', afterModel: () => ({ hold: { description: 'read it' } }) }],
    } as never)
    const paused = await run(agent, 'go')
    await paused.state.approve(only(paused))
    const state = await RunState.fromStringWithContext(agent, paused.state.toString(), null, replace)
    const again = only(await run(agent, state))
    expect(again.version).toBe(3)
    await state.approve(again)
    expect((await run(agent, state)).finalOutput).toBe('The answer.')
  })
})

describe('a restored context that moves into a store', () => {
  async function stored() {
    const store = memoryStore()
    const made = noting([calls(['a', 'pay']), calls(['b', 'pay']), 'Done.'])
    const paused = await run(made.agent, 'go', { store, threadId: 't', context: 1 })
    return { store, paused, text: paused.state.toString(), ...made }
  }

  it('is merged there, with the decisions of both', async () => {
    const { store, agent, text, pay } = await stored()
    const state = await RunState.fromStringWithContext(agent, text, 2)
    await state.approve('a', { by: 'ann' })
    const result = await run(agent, state, { store })
    expect(only(result).toolCallId).toBe('b')
    expect(pay.runs.map(({ ctx }) => ctx.context)).toEqual([2])
    const types = (await entriesOf(store, 't')).map(({ type }) => type)
    expect(types.filter((type) => type === 'context.replaced')).toHaveLength(1)
    // Once more from the same text: the store has it already.
    const second = await RunState.fromStringWithContext(agent, text, 2)
    expect(only(await run(agent, second, { store })).toolCallId).toBe('b')
    expect(pay.runs).toHaveLength(1)
  })

  it('withdraws there what it replaces, and counts only what was decided after it', async () => {
    const { store, agent, paused, text, pay } = await stored()
    await paused.state.approve('a', { always: true })
    const changed = await RunState.fromStringWithContext(agent, text, 2, { contextStrategy: 'replace' })
    const asked = only(await run(agent, changed, { store }))
    expect(asked.toolCallId).toBe('a')
    expect(pay.runs).toEqual([])
    const decided = await RunState.fromStringWithContext(agent, text, 3, { contextStrategy: 'replace' })
    await decided.approve('a', { by: 'bob' })
    expect(only(await run(agent, decided, { store })).toolCallId).toBe('b')
    expect(pay.runs.map(({ ctx }) => [ctx.context, ctx.approvedBy?.id])).toEqual([[3, 'bob']])
  })

  it('is refused once the run is over there', async () => {
    const { store, agent, paused, text } = await stored()
    await paused.state.approve('a', { always: true })
    expect((await run(agent, paused.state)).status).toBe('completed')
    const late = await RunState.fromStringWithContext(agent, text, 2)
    const { version } = await store.read('t')
    await refused(run(agent, late, { store }), StateDiverged, 'state_diverged')
    expect((await store.read('t')).version).toBe(version)
  })
})

describe('what is refused', () => {
  it('a context that is not JSON, an unknown strategy or option, a text that was changed', async () => {
    const { agent } = noting([calls(['a', 'pay']), 'Done.'])
    const { state } = await run(agent, 'go')
    const restore = (context: unknown, options: object = {}) =>
      RunState.fromStringWithContext(agent, state.toString(), context as never, options)
    await refused(restore({ when: new Date() }), ContextInvalid, 'context_invalid')
    await refused(restore({ context: 1, toolInput: () => 1 }), ContextInvalid, 'context_invalid')
    await refused(restore({ context: 1, usage: { requests: 'many' } }), InputInvalid, 'input_invalid')
    await refused(restore(1, { contextStrategy: 'preferSerialized' }), InputInvalid, 'input_invalid')
    await refused(restore(1, { strategy: 'merge' }), InputInvalid, 'input_invalid')
    const signingKeys = [{ id: 'k', secret: 's' }]
    await refused(restore(1, { signingKeys }), StateSignatureInvalid, 'state_signature_invalid')
  })
})

describe('the tracing key', () => {
  it('is on the state, and in no text and no journal unless asked for', async () => {
    const store = memoryStore()
    const { agent } = noting([calls(['a', 'pay']), 'Done.'])
    const paused = await run(agent, 'go', { store, threadId: 't', tracing: { apiKey: 'sk-trace' } })
    expect(paused.state.tracing).toEqual({ apiKey: 'sk-trace' })
    expect(JSON.stringify(await entriesOf(store, 't'))).not.toContain('sk-trace')
    expect(JSON.stringify(paused.state)).not.toContain('sk-trace')
    expect((await RunState.fromString(agent, paused.state.toString())).tracing).toBeUndefined()

    const signingKeys = [{ id: 'k', secret: 's' }]
    const text = paused.state.toString({ includeTracingApiKey: true, signingKeys })
    const restored = await RunState.fromString(agent, text, { signingKeys })
    expect(restored.tracing).toEqual({ apiKey: 'sk-trace' })
    await refused(
      RunState.fromString(agent, text.replace('sk-trace', 'sk-other'), { signingKeys }),
      StateSignatureInvalid,
      'state_signature_invalid',
    )

    await restored.approve('a')
    const done = await run(agent, restored, { tracing: { apiKey: 'sk-new' } })
    expect(done.state.tracing).toEqual({ apiKey: 'sk-new' })
    expect(toolMessage(done.state.messages).content).toBe('pay done')
    await refused(run(agent, 'go', { tracing: {} as never }), InputInvalid, 'input_invalid')
  })
})
