import { describe, expect, test } from 'vitest'
import type { Gate } from '../../src/gate.ts'
import { type Decision, type HitlRequest, humanInTheLoop, memoryStore, openDesk, type Store } from '../../src/index.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { ann, gateOf, refund } from './gate.ts'

const { callId: _, ...withoutId } = refund()
const policy = humanInTheLoop({ interruptOn: { refund: { timeoutSeconds: 300 } } })
const asking = { policy, onHandedOver: { askAfterSeconds: 60 } } as const

async function openRequests(store: Store): Promise<HitlRequest[]> {
  return (await openDesk({ store }).list({ status: 'open' })).requests
}

describe.each([
  ['with a call id', refund()],
  ['without a call id', withoutId],
])('a call %s that was handed over a minute ago, and whose end nobody has reported', (_name, call) => {
  async function overdue() {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const gate = gateOf(store, asking)
    await gate.judge([call])
    const [request] = await openRequests(store)
    await gate.decide(request!, { type: 'approve' }, { by: ann })
    expect(await gate.spend(call)).toMatchObject({ status: 'released' })
    clock.advance(60_000)
    return { clock, store, gate }
  }

  /** The same, and the question about it. */
  async function questioned() {
    const { clock, store, gate } = await overdue()
    expect(await gate.sweep()).toBe(1)
    const [question] = await openRequests(store)
    expect(question).toMatchObject({ reason: 'unknown_outcome' })
    return { clock, store, gate, question: question! }
  }

  async function answered(decision: Decision) {
    const { store, gate, question } = await questioned()
    await gate.decide(question, decision, { by: ann })
    return { store, gate }
  }

  /** A call that was delivered is replaced by the next equal one, unless it has an id. */
  async function expectOver(gate: Gate, store: Store, last: object) {
    const [state] = await gate.judge([call])
    if ('callId' in call) return expect(state).toMatchObject(last)
    expect(state).toMatchObject({ status: 'held', request: { details: { earlier: { at: expect.any(String) } } } })
    expect(await openRequests(store)).toHaveLength(1)
  }

  test('is asked about when it is made again, and nothing else is', async () => {
    const { store, gate } = await overdue()
    const [state] = await gate.judge([call])
    const [question, ...more] = await openRequests(store)
    expect([question?.reason, more]).toEqual(['unknown_outcome', []])
    expect(state).toMatchObject({ status: 'unknown', request: { id: question?.id } })
    expect(await gate.sweep()).toBe(0)
    expect(await openRequests(store)).toHaveLength(1)
  })

  test('waits for the open question, which has no deadline', async () => {
    const { store, gate, clock, question } = await questioned()
    clock.advance(86_400_000)
    for (const again of [await gate.judge([call]), await gateOf(store, asking).judge([call])])
      expect(again).toMatchObject([{ status: 'unknown', request: { id: question.id } }])
    expect(await gate.spend(call)).toMatchObject({ status: 'unknown' })
    expect(await openRequests(store)).toHaveLength(1)
  })

  test('is told what a person says has happened, once', async () => {
    const { store, gate } = await answered({ type: 'respond', message: 'It was paid.' })
    const told = { status: 'refused', message: 'It was paid.', isError: false }
    expect(await gate.judge([call])).toEqual([told])
    await expectOver(gate, store, told)
  })

  test('is handed over once more if a person approves that', async () => {
    const { store, gate } = await answered({ type: 'approve' })
    expect(await gate.judge([call])).toMatchObject([{ status: 'released', by: { id: 'ann' } }])
    expect(await gate.spend(call)).toMatchObject({ status: 'released' })
    expect(await gate.spend(call)).toEqual({ status: 'unknown' })
    await gate.finished(call, { result: 'paid' })
    await expectOver(gate, store, { status: 'finished', result: 'paid' })
  })

  test('is refused if a person rejects it', async () => {
    const { store, gate } = await answered({ type: 'reject', message: 'Leave it.' })
    const told = { status: 'refused', message: expect.stringContaining('Leave it.'), isError: true }
    expect(await gate.judge([call])).toMatchObject([told])
    await expectOver(gate, store, told)
  })

  test('waits on if a person takes the answer back', async () => {
    const { store, gate, question } = await questioned()
    const desk = openDesk({ store })
    const decision = { type: 'respond', message: 'It was paid.' } as const
    await desk.decide({ request: question, decision, by: ann, undoSeconds: 10 })
    expect(await gate.judge([call])).toMatchObject([{ status: 'held', request: { id: question.id } }])
    await desk.withdraw(question, ann)
    expect(await gate.judge([call])).toMatchObject([{ status: 'unknown', request: { id: question.id } }])
    expect(await openRequests(store)).toHaveLength(1)
  })

  test('is refused if the question was cancelled', async () => {
    const { store, gate, question } = await questioned()
    await openDesk({ store }).cancel(question, { reason: 'Nobody knows.', by: ann })
    const told = { status: 'refused', isError: true }
    expect(await gate.judge([call])).toMatchObject([told])
    await expectOver(gate, store, told)
  })

  test('has ended if its end is reported before the approved one is handed over', async () => {
    const { store, gate } = await answered({ type: 'approve' })
    await gate.finished(call, { result: 'paid' })
    await expectOver(gate, store, { status: 'finished', result: 'paid' })
  })

  test('is the one that is found by a host that waits', async () => {
    const { gate, question } = await questioned()
    const waiting = gate.wait(call, { timeoutSeconds: 60 })
    await gate.decide(question, { type: 'respond', message: 'It was paid.' }, { by: ann })
    expect(await waiting).toMatchObject({ status: 'refused', message: 'It was paid.' })
  })
})

/** A call without an id that needs no person, once handed over. */
async function handedOverFree() {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const gate = gateOf(store, asking)
  const free = { ...withoutId, toolName: 'look_up' }
  await gate.judge([free])
  await gate.spend(free)
  return { clock, store, gate, free }
}

test('a call without an id that its host has in its hands is not what an equal call means', async () => {
  const { clock, gate, free } = await handedOverFree()
  clock.advance(59_000)
  expect(await gate.judge([free])).toMatchObject([{ status: 'free' }])
  expect(await gate.spend(free)).toMatchObject({ status: 'released' })
})

test('of two equal calls without ids, one that is overdue and one that is not, the first is asked about and the second runs on', async () => {
  const { clock, store, gate, free } = await handedOverFree()
  clock.advance(30_000)
  await gate.judge([free])
  await gate.spend(free)
  clock.advance(30_000)
  const states = await gate.judge([free, free])
  expect(states.map(({ status }) => status)).toEqual(['unknown', 'free'])
  expect(await openRequests(store)).toHaveLength(1)
})
