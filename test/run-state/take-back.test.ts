import { expect, test } from 'vitest'
import { memoryStore, RunState, run } from '../../src/index.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

test('the author of a decision takes it back on the state, and another decision counts', async () => {
  for (const store of [undefined, memoryStore()]) {
    const pay = gated('pay')
    const { agent } = scripted([calls(['a', 'pay']), 'Done.'], [pay])
    const paused = await run(agent, 'go', store ? { store, threadId: 't' } : {})
    const asked = only(paused)
    const approved = await paused.state.approve(asked, { by: 'ann' })
    expect(paused.state.interruptions).toEqual([])
    const open = await paused.state.withdraw(asked, { by: 'ann' })
    expect(open).toMatchObject({ id: asked.id, status: 'open', version: approved.version + 1 })
    expect(paused.state.interruptions).toMatchObject([{ id: asked.id }])
    await paused.state.reject(paused.state.interruptions[0]!, { by: 'ann', message: 'No.' })
    expect(await run(agent, paused.state)).toMatchObject({ status: 'completed' })
    expect(pay.runs).toEqual([])
  }
})

test('a decision is taken back on a state that was serialised', async () => {
  const pay = gated('pay')
  const { agent } = scripted([calls(['a', 'pay'])], [pay])
  const paused = await run(agent, 'go')
  await paused.state.approve(only(paused), { by: 'ann', always: true })
  const restored = await RunState.fromString(agent, paused.state.toString())
  await restored.withdraw('a', { by: 'ann' })
  const again = await run(agent, restored)
  expect(only(again)).toMatchObject({ toolCallId: 'a' })
  expect(pay.runs).toEqual([])
})

test('somebody else cannot take it back, and nobody can once the call was started', async () => {
  const { agent } = scripted([calls(['a', 'pay']), 'Done.'], [gated('pay')])
  const paused = await run(agent, 'go')
  const asked = only(paused)
  await expect(paused.state.withdraw(asked)).rejects.toMatchObject({ code: 'stale_answer' })
  await paused.state.approve(asked, { by: 'ann' })
  await expect(paused.state.withdraw(asked, { by: 'bob' })).rejects.toMatchObject({ code: 'decision_not_allowed' })
  await expect(paused.state.withdraw(asked, { by: 'ann', version: 99 })).rejects.toMatchObject({ code: 'stale_answer' })
  await run(agent, paused.state)
  await expect(paused.state.withdraw(asked, { by: 'ann' })).rejects.toMatchObject({ code: 'stale_answer' })
  await expect(paused.state.withdraw('unknown')).rejects.toMatchObject({ code: 'no_pending_request' })
})

test('a withdrawal that nobody awaited is done before the run goes on', async () => {
  const pay = gated('pay')
  const { agent } = scripted([calls(['a', 'pay'])], [pay])
  const paused = await run(agent, 'go')
  const asked = only(paused)
  void paused.state.approve(asked)
  void paused.state.withdraw(asked)
  expect((await run(agent, paused.state)).interruptions).toHaveLength(1)
  expect(pay.runs).toEqual([])
})
