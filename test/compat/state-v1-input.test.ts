import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { memoryStore, RunState, run } from '../../src/index.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only } from '../support/agents/results.ts'
import { scripted } from '../support/agents/scripted-agent.ts'

/**
 * Entries from before calls were marked `asRun`: made by hand in the shape of that time. The recorded arguments are what the schema takes, the
 * digest covers them, and the schema does not accept its own output, so they are parsed when the call runs.
 */
const text = readFileSync(new URL('./state-v1-input.json', import.meta.url), 'utf8')

function cashier() {
  const parameters = z.object({ cents: z.string().transform(Number), currency: z.string().default('EUR') })
  const pay = gated('pay', { parameters })
  return { pay, ...scripted(['done'], [pay]) }
}

test('entries without asRun are read, with the arguments and the digest that were shown then', async () => {
  expect(text).not.toContain('asRun')
  const state = await RunState.fromString(cashier().agent, text)
  expect(state.interruptions).toMatchObject([
    {
      toolName: 'pay',
      args: { cents: '1200' },
      digest: (JSON.parse(text) as { entries: [number, { digest?: string }][] }).entries[4]![1].digest,
    },
  ])
})

for (const where of ['text', 'store'] as const) {
  test(`a call without asRun that is approved from a ${where} runs once, with its arguments parsed as they were meant then`, async () => {
    const { agent, pay } = cashier()
    const state = await RunState.fromString(agent, text)
    await state.approve(state.interruptions[0]!, { by: 'ann' })
    const result = await run(agent, state, where === 'store' ? { store: memoryStore() } : {})
    expect(result).toMatchObject({ status: 'completed', finalOutput: 'done' })
    expect(pay.runs.map(({ args }) => args)).toEqual([{ cents: 1200, currency: 'EUR' }])
  })
}

test('an edit of a call without asRun takes the form that was shown, and is recorded as it runs', async () => {
  const { agent, pay } = cashier()
  const state = await RunState.fromString(agent, text)
  await state.decide({ decisions: [{ type: 'edit', args: { cents: '900' }, id: state.interruptions[0]!.id }], by: 'ann' })
  expect(await run(agent, state)).toMatchObject({ status: 'completed' })
  expect(pay.runs.map(({ args }) => args)).toEqual([{ cents: 900, currency: 'EUR' }])
})

test('a call without asRun whose arguments were changed is asked about again: the digest still covers them', async () => {
  const { agent, pay } = cashier()
  const state = await RunState.fromString(agent, text.replaceAll('"cents": "1200"', '"cents": "999900"'))
  await state.approve(state.interruptions[0]!, { by: 'ann' })
  const result = await run(agent, state)
  expect(result.status).toBe('interrupted')
  expect(only(result)).toMatchObject({ reason: 'changed' })
  expect(pay.runs).toEqual([])
})
