import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as holdpoint from '../../src/index.ts'
import { type ScriptStep, scriptedModel } from '../../src/testing/scripted-model.ts'
import { clerk } from './clerk.js'

const { memoryStore, openDesk, RunState, run } = holdpoint
const text = readFileSync(new URL('./state-v1.json', import.meta.url), 'utf8')
const signingKeys = [{ id: 'k1', secret: 'fixture' }]
const build = (script: ScriptStep[] = []) => clerk({ ...holdpoint, scriptedModel }, script)

test('the fixture holds every kind of entry that version 1 began with', () => {
  const { entries } = JSON.parse(text) as { entries: [number, { type: string; v: number }][] }
  expect(new Set(entries.map(([, { type, v }]) => `${type} ${v}`))).toEqual(
    new Set([
      'run.opened 1',
      'input.added 1',
      'model.answered 1',
      'tool.defined 1',
      'call.judged 1',
      'request.opened 1',
      'request.decided 1',
      'request.reopened 1',
      'request.closed 1',
      'grant.created 1',
      'call.released 1',
      'call.started 1',
      'call.finished 1',
      'call.refused 1',
      'run.settled 1',
    ]),
  )
})

test('a state text of version 1 is read, its signature holds, and it says what it said then', async () => {
  const state = await RunState.fromString(build().agent, text, { signingKeys })
  expect(state).toMatchObject({ threadId: 'order/42', status: 'open' })
  expect(state.usage).toEqual({ requests: 2, inputTokens: 11, outputTokens: 7, totalTokens: 18 })
  expect(state.interruptions).toMatchObject([
    {
      questionId: 'c5',
      toolName: 'mail',
      args: { to: 'ann@example.com' },
      digest: 'd431e4f205a0d2642b7a33dded7ed1a67c3ec74c0b7098ad9a14f28fe4616a01',
      version: 1,
      allowedDecisions: ['approve', 'edit', 'reject', 'respond'],
      createdAt: expect.stringMatching(/^2025-06-15T15:06:40\.\d{3}Z$/),
    },
  ])
  expect(state.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'tool', 'user', 'assistant'])
})

for (const where of ['text', 'store'] as const) {
  test(`a state text of version 1 is finished from ${where}: what was approved runs, what ran does not run again`, async () => {
    const { agent, model, ran } = build([{ toolCalls: [{ id: 'c8', name: 'refund', args: { order: 43 } }] }, 'Settled.'])
    const state = await RunState.fromString(agent, text, { signingKeys })
    await state.approve('c5', { by: 'ann' })
    const store = memoryStore()
    const result = await run(agent, state, where === 'store' ? { store } : {})
    expect(result).toMatchObject({ status: 'completed', finalOutput: 'Settled.' })
    // The approval of refunds was given for the whole run.
    expect(ran).toEqual([
      ['mail', { to: 'ann@example.com' }],
      ['refund', { order: 43, currency: 'EUR' }],
    ])
    const [first] = model.requests
    expect(first?.messages.slice(-8)).toMatchObject([
      { role: 'tool', toolCallId: 'c1', content: 'look_up done' },
      { role: 'tool', toolCallId: 'c2', content: 'refund done' },
      { role: 'tool', toolCallId: 'c3', content: expect.stringContaining('eve@example.com') },
      { role: 'tool', toolCallId: 'c4', content: 'no notes', isError: true },
      { role: 'tool', toolCallId: 'c5', content: 'mail done' },
      { role: 'tool', toolCallId: 'c6', isError: true },
      { role: 'tool', toolCallId: 'c7', isError: true },
      { role: 'user', content: 'And thank them.' },
    ])
    if (where === 'store') {
      const { requests } = await openDesk({ store }).list()
      expect(requests.map(({ questionId, status, version }) => [questionId, status, version])).toEqual([
        ['c5', 'decided', 2],
        ['c4', 'decided', 2],
        ['c3', 'decided', 4],
        ['c2', 'decided', 2],
        ['c0', 'superseded', 2],
      ])
    }
  })
}
