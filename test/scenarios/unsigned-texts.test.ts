import { expect, test } from 'vitest'
import { DecisionPending, memoryStore, openDesk, RunState, run, StateDiverged } from '../../src/index.ts'
import { calls, entriesOf, gated, only, refused, scripted } from './support.ts'

const signingKeys = [{ id: 'k', secret: 'a secret of enough length' }]

/** A text that carries somebody's decision, and the store that its run came from, if it came from one. */
async function decided(options: { inStore?: boolean; always?: boolean } = {}) {
  const pay = gated('pay')
  const { agent } = scripted([calls(['a', 'pay']), 'Done.'], [pay])
  const store = memoryStore()
  const paused = await run(agent, 'go', { threadId: 't', ...(options.inStore ? { store } : {}) })
  const copy = await RunState.fromString(agent, paused.state.toString())
  await copy.approve(only(paused), { by: 'ann', ...(options.always ? { always: true } : {}) })
  return { pay, agent, store, request: only(paused), text: copy.toString(), signed: copy.toString({ signingKeys }) }
}

for (const inStore of [true, false]) {
  const where = inStore ? 'a store that has the run' : 'a store that does not know the run'

  test(`what an unsigned text decided releases nothing in ${where}, and is asked again`, async () => {
    const { pay, agent, store, request, text } = await decided({ inStore, always: true })
    for (let i = 0; i < 2; i++) {
      const result = await run(agent, await RunState.fromString(agent, text), { store })
      expect(only(result).id).toBe(request.id)
    }
    expect(pay.runs).toEqual([])
    expect((await openDesk({ store }).grants({ status: 'active' })).grants).toEqual([])
    const told = JSON.stringify(await entriesOf(store, 't'))
    expect(told.match(/"by":\{[^}]*"id":"ann"(?!,"via":"text")/)).toBeNull()
    const state = await RunState.load(agent, { threadId: 't', store })
    await state.approve(request.id, { by: 'bob' })
    expect((await run(agent, state)).status).toBe('completed')
    expect(pay.runs).toHaveLength(1)
  })

  test(`with trust it runs in ${where}, and the record says that a text told who decided`, async () => {
    const { pay, agent, store, request, text } = await decided({ inStore })
    const state = await RunState.fromString(agent, text, { trust: true })
    expect((await run(agent, state, { store })).status).toBe('completed')
    expect(pay.runs).toHaveLength(1)
    const { decision } = await openDesk({ store }).get(request.id)
    expect(decision?.by).toEqual({ kind: 'person', id: 'ann', via: 'text' })
  })

  test(`a signed text keeps its authors and its decisions in ${where}`, async () => {
    const { pay, agent, store, request, signed } = await decided({ inStore })
    const state = await RunState.fromString(agent, signed, { signingKeys })
    expect((await run(agent, state, { store })).status).toBe('completed')
    expect(pay.runs).toHaveLength(1)
    expect((await openDesk({ store }).get(request.id)).decision?.by).toEqual({ kind: 'person', id: 'ann' })
  })
}

test('a release that nobody decided cannot be smuggled into a store by an unsigned text', async () => {
  const pay = gated('pay')
  const { agent } = scripted([calls(['a', 'pay']), 'Done.'], [pay])
  const paused = await run(agent, 'go', { threadId: 't' })
  const text = JSON.parse(paused.state.toString()) as { entries: [number, { type: string; digest?: string }][] }
  const judged = text.entries.find(([, entry]) => entry.type === 'call.judged')!
  const opened = text.entries.findIndex(([, entry]) => entry.type === 'request.opened')
  const { call } = judged[1] as unknown as { call: string }
  const by = { kind: 'policy', id: 'allow' }
  const release = { v: 1, type: 'call.released', call, digest: judged[1].digest!, by }
  text.entries[opened] = [text.entries[opened]![0], release]
  const state = await RunState.fromString(agent, JSON.stringify(text))
  await refused(run(agent, state, { store: memoryStore() }), StateDiverged, 'state_diverged')
  expect(pay.runs).toEqual([])
})

test('a state is not turned into a text while a decision is being made', async () => {
  const { agent } = scripted([calls(['a', 'pay']), 'Done.'], [gated('pay')])
  const paused = await run(agent, 'go')
  const deciding = paused.state.approve('a')
  expect(() => paused.state.toString()).toThrow(DecisionPending)
  expect(() => JSON.stringify(paused.state)).toThrow(DecisionPending)
  await deciding
  expect(paused.state.toString()).toContain('request.decided')
  await paused.state.reject('a').catch(() => undefined)
  expect(JSON.stringify(paused.state)).toContain('request.decided')
})
