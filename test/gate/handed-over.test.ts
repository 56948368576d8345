import { expect, test } from 'vitest'
import { memoryStore, openDesk, type Store, sweep } from '../../src/index.ts'
import { allRecords } from '../../src/ports/records.ts'
import { type FakeClock, fakeClock } from '../../src/testing/fake-clock.ts'
import { ann, gateOf, held, refund } from './gate.ts'

const asking = { onHandedOver: { askAfterSeconds: 60 } } as const

/** A call that was handed over at the start of the clock. */
async function handedOver(options: object = asking): Promise<{ store: Store; clock: FakeClock }> {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const gate = gateOf(store, options)
  await gate.decide(await held(gate, refund()), { type: 'approve' }, { by: ann })
  expect(await gate.spend(refund())).toMatchObject({ status: 'released' })
  return { store, clock }
}

async function openRequests(store: Store): Promise<(string | undefined)[]> {
  return (await openDesk({ store }).list({ status: 'open' })).requests.map(({ reason }) => reason)
}

async function expected(store: Store): Promise<number> {
  let count = 0
  for await (const _ of allRecords(store, { kind: 'gate-handed-over' })) count += 1
  return count
}

test('nobody is asked about a call that was handed over, unless the gate says so', async () => {
  const { store, clock } = await handedOver({})
  clock.advance(86_400_000)
  const gate = gateOf(store)
  expect(await gate.sweep()).toBe(0)
  await gate.judge([refund()])
  await sweep(store)
  expect(await gate.state(refund())).toEqual({ status: 'unknown' })
  expect([await openRequests(store), await expected(store)]).toEqual([[], 0])
})

test('people are asked about a call whose end nobody reports, once, by any process of the source', async () => {
  const { store, clock } = await handedOver()
  const [own, other] = [gateOf(store, asking), gateOf(store, { ...asking, source: 'other' })]
  clock.advance(59_000)
  expect([await own.sweep(), await openRequests(store)]).toEqual([0, []])
  clock.advance(1_000)
  expect(await other.sweep()).toBe(0)
  expect([await own.sweep(), await gateOf(store, asking).sweep()]).toEqual([1, 0])
  expect([await openRequests(store), await expected(store)]).toEqual([['unknown_outcome'], 0])
  expect(await own.state(refund())).toMatchObject({ status: 'unknown', request: { reason: 'unknown_outcome' } })
  const [request] = (await openDesk({ store }).list({ status: 'open' })).requests
  await own.decide(request!, { type: 'respond', message: 'It was paid.' }, { by: ann })
  expect(await own.wait(refund())).toEqual({ status: 'refused', message: 'It was paid.', isError: false })
})

test('an approval of the question hands the call over once more', async () => {
  const { store, clock } = await handedOver()
  clock.advance(60_000)
  const gate = gateOf(store, asking)
  await gate.sweep()
  const [request] = (await openDesk({ store }).list({ status: 'open' })).requests
  await gate.decide(request!, { type: 'approve' }, { by: ann })
  expect(await gate.spend(refund())).toMatchObject({ status: 'released' })
  expect(await gate.spend(refund())).toMatchObject({ status: 'unknown' })
  expect(await expected(store)).toBe(1)
})

test('people are asked about a call that was edited, too', async () => {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const gate = gateOf(store, asking)
  await gate.decide(await held(gate, refund()), { type: 'edit', args: { order: 'A-1', amount: 5 } }, { by: ann })
  expect(await gate.spend(refund())).toMatchObject({ status: 'released', args: { amount: 5 } })
  clock.advance(60_000)
  expect([await gate.sweep(), await openRequests(store)]).toEqual([1, ['unknown_outcome']])
})

test('an end that is reported late settles the question', async () => {
  const { store, clock } = await handedOver()
  clock.advance(60_000)
  const gate = gateOf(store, asking)
  // The next judge of any call asks.
  await gate.judge([refund({ toolName: 'look_up' })])
  expect(await openRequests(store)).toEqual(['unknown_outcome'])
  await gate.finished(refund(), { result: 'paid' })
  expect(await openRequests(store)).toEqual([])
  expect(await gate.state(refund())).toEqual({ status: 'finished', result: 'paid', isError: false })
})

test('nobody is asked about a call whose end was reported', async () => {
  const { store, clock } = await handedOver()
  const gate = gateOf(store, asking)
  await gate.finished(refund(), { result: 'paid' })
  clock.advance(60_000)
  expect([await gate.sweep(), await openRequests(store), await expected(store)]).toEqual([0, [], 0])
})

test('an unknown outcome of a call that was handed over is asked about, whatever happens to those that run here', async () => {
  const { store, clock } = await handedOver()
  clock.advance(60_000)
  expect(await gateOf(store, { ...asking, onUnknownOutcome: 'retry' }).sweep()).toBe(1)
  expect(await openRequests(store)).toEqual(['unknown_outcome'])
})

test('mistakes in onHandedOver are refused', () => {
  const make = (onHandedOver: unknown) => () => gateOf(memoryStore(), { onHandedOver } as never)
  for (const wrong of ['ask', null, 60, {}, { askAfterSeconds: -1 }, { askAfterSeconds: 1, after: 2 }])
    expect(make(wrong)).toThrow(/onHandedOver|askAfterSeconds|after/)
})
