import { expect, test } from 'vitest'
import { memoryStore, openDesk, type Store } from '../../src/index.ts'
import { allRecords } from '../../src/ports/records.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { entriesOf, ofType } from '../support/stores/entries.ts'
import { ann, gateOf, held, refund } from './gate.ts'

const edited = { order: 'A-1', amount: 5 }
const { callId: _, ...anonymous } = refund()

/** A call as a hook describes it: with an id of this use of it only. */
const used = (useId: string, more: object = {}) => ({ ...anonymous, useId, ...more })

async function uses(store: Store): Promise<number> {
  let count = 0
  for await (const _ of allRecords(store, { kind: 'gate-use' })) count += 1
  return count
}

test('the end of an edited call is found by the id of its use, whichever arguments the host reports', async () => {
  for (const args of [edited, anonymous.args, {}]) {
    const store = memoryStore()
    const gate = gateOf(store)
    await gate.decide(await held(gate, used('u1')), { type: 'edit', args: edited }, { by: ann })
    // The host made the call again: another use of it.
    expect(await gate.spend(used('u2'))).toMatchObject({ status: 'released', args: edited })
    expect(await uses(store)).toBe(1)
    await gateOf(store).finished(used('u2', { args }), { result: 'paid' })
    expect(await gate.state(used('u2'))).toMatchObject({ status: 'finished', result: expect.stringContaining('paid') })
    expect(await uses(store)).toBe(0)
    await expect(gate.finished(used('u3', { args: {} }), { result: 'paid' })).rejects.toMatchObject({
      code: 'not_released',
    })
  }
})

test('without an id of its use, the end of an edited call is found by the edited arguments', async () => {
  const store = memoryStore()
  const gate = gateOf(store)
  await gate.decide(await held(gate, refund()), { type: 'edit', args: edited }, { by: ann })
  await gate.spend(refund())
  // A call that was made with these arguments is another one, and waits for a person.
  const other = await held(gate, refund({ args: edited }))
  await gate.finished(refund({ args: edited }), { result: 'paid' })
  expect(await gate.state(refund())).toMatchObject({ status: 'finished' })
  expect((await openDesk({ store }).get(other.id)).status).toBe('open')
})

test('of equal calls that run side by side, each gets its own end', async () => {
  const store = memoryStore()
  const gate = gateOf(store)
  const threads = new Map<string, string>()
  for (const useId of ['u1', 'u2']) {
    await gate.decide(await held(gate, used(useId)), { type: 'approve' }, { by: ann })
    const state = await gate.spend(used(useId))
    if (state.status !== 'released') throw new Error(state.status)
    threads.set(useId, state.call.threadId)
  }
  await gate.finished(used('u2'), { error: 'no funds' })
  await gate.finished(used('u1'), { result: 'paid' })
  const endOf = async (useId: string) => ofType(await entriesOf(store, threads.get(useId)!), 'call.finished')
  expect(JSON.stringify(await endOf('u1'))).toContain('paid')
  expect(JSON.stringify(await endOf('u2'))).toContain('no funds')
})

test('a call that ran for longer than equal calls wait is still found by the id of its use', async () => {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const gate = gateOf(store)
  for (const useId of ['u1', 'u2']) {
    await gate.decide(await held(gate, used(useId)), { type: 'approve' }, { by: ann })
    await gate.spend(used(useId))
    clock.advance(1_000_000)
  }
  await gate.finished(used('u1'), { result: 'first' })
  await gate.finished(used('u2'), { result: 'second' })
  expect((await store.threads()).threads).toHaveLength(2)
  expect(await uses(store)).toBe(0)
})

test('the id of a use is of one principal and one conversation', async () => {
  const store = memoryStore()
  const gate = gateOf(store)
  const own = used('u1', { principal: 'ann' })
  await gate.decide(await held(gate, own), { type: 'approve' }, { by: ann })
  await gate.spend(own)
  for (const other of [{ principal: 'eve' }, { principal: 'ann', threadId: 'chat-2' }]) {
    await expect(gate.finished(used('u1', other), { result: 'forged' })).rejects.toMatchObject({ code: 'not_released' })
  }
  expect(await gate.state(own)).toEqual({ status: 'unknown' })
})
