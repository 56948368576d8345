import { describe, expect, it } from 'vitest'
import { openDesk } from '../../src/desk/open-desk.ts'
import type { Store } from '../../src/ports/store.ts'
import type { RunResult } from '../../src/runtime/run/result.ts'
import { run } from '../../src/runtime/run/run.ts'
import { RunState } from '../../src/runtime/run/run-state.ts'
import { latch } from '../support/latch.ts'
import { soak } from '../support/soak.ts'
import { entriesOf, ofType } from '../support/stores/entries.ts'
import { slowed } from '../support/stores/wrapped-stores.ts'
import { cashier } from './cashier.ts'
import { type RacePlace, racePlaces } from './places.ts'

const places = racePlaces()

const threadId = 'contested'
const ann = { kind: 'person', id: 'ann' } as const

describe.each(places)('G2: resuming one approved thread at the same time, %s', (_, place) => {
  it('runs the call once; the others get ThreadBusy or the result', async () => {
    const open = place()
    const { agent, ran } = cashier()
    const { state } = await run(agent, 'Refund it.', { threadId, store: open() })
    await state.approve(state.interruptions[0]!, { by: ann })
    const states = await Promise.all(
      Array.from({ length: 10 }, () => RunState.load(agent, { threadId, store: open() })),
    )
    const ends = await Promise.allSettled([state, state, ...states].map((each) => run(agent, each)))
    expectOneDriver(ends)
    await finish(open(), agent)
    expect(ran.filter(({ tool }) => tool === 'refund').length).toBe(1)
    const entries = await entriesOf(open(), threadId)
    expect(ofType(entries, 'call.started').length).toBe(2)
    expect(ofType(entries, 'model.answered').length).toBe(2)
  })

  it('after another process has finished it gives the result, however stale the view was', async () => {
    const open = place()
    const { agent, ran } = cashier()
    const { state } = await run(agent, 'Refund it.', { threadId, store: open() })
    await state.reject(state.interruptions[0]!, { by: ann })
    const other = latch()
    const late = run(agent, await RunState.load(agent, { threadId, store: slowed(open(), other.passed) }))
    const first = await run(agent, state)
    other.open()
    expect(first).toMatchObject({ status: 'completed', finalOutput: 'done after 2 results' })
    expect(await late).toMatchObject({ status: 'completed', finalOutput: 'done after 2 results', error: undefined })
    expect(ran.map(({ tool }) => tool)).toEqual(['lookup'])
  })

  it('uses a standing decision once, however stale the view of who comes late', async () => {
    const open = place()
    const { agent, ran } = cashier({ refunds: 2 })
    const { state } = await run(agent, 'Refund it.', { threadId, store: open() })
    await state.approve(state.interruptions[0]!, { by: ann, always: true })
    const other = latch()
    const late = run(agent, await RunState.load(agent, { threadId, store: slowed(open(), other.passed) }))
    expect((await run(agent, state)).status).toBe('completed')
    other.open()
    expect(await late).toMatchObject({ status: 'completed', finalOutput: 'done after 3 results', error: undefined })
    expect(ran.filter(({ tool }) => tool === 'refund').length).toBe(2)
  })

  it('goes on to the model once, however stale the view of who comes late', async () => {
    const open = place()
    const thinking = latch()
    const { agent } = cashier({ model: thinking.passed })
    const stopped = new AbortController()
    const first = run(agent, 'just talk', { threadId, store: open(), signal: stopped.signal })
    while ((await open().read(threadId)).version === 0) await new Promise((resolve) => setImmediate(resolve))
    stopped.abort()
    expect((await first).status).toBe('incomplete')
    const other = latch()
    const late = run(agent, await RunState.load(agent, { threadId, store: slowed(open(), other.passed) }))
    thinking.open()
    const next = await run(agent, await RunState.load(agent, { threadId, store: open() }))
    other.open()
    expect([next.status, (await late).status]).toEqual(['completed', 'completed'])
    expect(ofType(await entriesOf(open(), threadId), 'model.answered').length).toBe(1)
  })
})

describe.each(places)('Running new input on one thread at the same time, %s', (_, place) => {
  it('opens one run at a time and hears everybody who was not refused', async () => {
    const open = place()
    const { agent } = cashier()
    const inputs = Array.from({ length: 12 }, (_, index) => ({ role: 'user', content: `order ${index}` }) as const)
    const ends = await Promise.allSettled(inputs.map((input) => run(agent, [input], { threadId, store: open() })))
    const heard = inputs.filter((_, index) => ends[index]!.status === 'fulfilled')
    for (const end of ends)
      if (end.status === 'rejected') expect(['ThreadBusy', 'ThreadPaused']).toContain(end.reason.name)
    const entries = await entriesOf(open(), threadId)
    expect(entries.flatMap((entry) => ('input' in entry ? entry.input : []))).toEqual(heard)
    expect(ofType(entries, 'run.opened').length).toBe(1)
    expect(ofType(entries, 'request.opened').length).toBe(1)
  })

  it('hears input for a run that ended before it could be added', async () => {
    const open = place()
    const thinking = latch()
    const { agent } = cashier({ model: thinking.passed })
    const ended = latch()
    const first = run(agent, 'just talk', { threadId, store: open() })
    while ((await open().read(threadId)).version === 0) await new Promise((resolve) => setImmediate(resolve))
    // This one reads an open run, and writes when that run is over.
    const second = run(agent, 'just talk', { threadId, store: slowed(open(), ended.passed) })
    await new Promise((resolve) => setTimeout(resolve, 30))
    thinking.open()
    expect((await first).status).toBe('completed')
    ended.open()
    const result = await second
    expect(result).toMatchObject({ status: 'completed', finalOutput: 'well' })
    expect(result.runId).not.toBe((await first).runId)
    expect(result.state.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  })

  it('refuses input for a run that paused before it could be added', async () => {
    const open = place()
    const thinking = latch()
    const { agent } = cashier({ model: thinking.passed })
    const ended = latch()
    const first = run(agent, 'Refund it.', { threadId, store: open() })
    while ((await open().read(threadId)).version === 0) await new Promise((resolve) => setImmediate(resolve))
    const second = run(agent, 'And another.', { threadId, store: slowed(open(), ended.passed) })
    second.catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, 30))
    thinking.open()
    const [request] = (await first).interruptions
    ended.open()
    await expect(second).rejects.toMatchObject({ name: 'ThreadPaused', requestIds: [request!.id] })
    expect(ofType(await entriesOf(open(), threadId), 'input.added')).toEqual([])
  })
})

describe.each(places)('G1, G5: a decision that lands while the thread is being driven, %s', (_, place) => {
  it('is taken up by the one who drives', async () => {
    const open = place()
    const slow = latch()
    const { agent, ran } = cashier({ lookup: slow.passed })
    const driving = run(agent, 'Refund it.', { threadId, store: open() })
    const id = await openRequest(open())
    await openDesk({ store: open() }).decide({ request: id, decision: { type: 'approve' }, by: ann })
    await expect(run(agent, await RunState.load(agent, { threadId, store: open() }))).rejects.toMatchObject({
      name: 'ThreadBusy',
    })
    expect(ran.map(({ tool }) => tool)).toEqual(['lookup'])
    slow.open()
    expect(await driving).toMatchObject({ status: 'completed', finalOutput: 'done after 2 results' })
    expect(ran.map(({ tool }) => tool)).toEqual(['lookup', 'refund'])
  })

  it('is never lost or acted on twice, whatever the driver is at', async () => {
    const open = place()
    for (let round = 0; round < soak.times(16, 160); round++) {
      const thread = `${threadId}-${round}`
      const slow = latch()
      const { agent, ran } = cashier({ lookup: slow.passed })
      const driving = run(agent, 'Refund it.', { threadId: thread, store: open() })
      const id = await openRequest(open(), thread)
      const deciding = openDesk({ store: open() }).decide({ request: id, decision: { type: 'approve' }, by: ann })
      for (let turns = round % 8; turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve))
      slow.open()
      await deciding
      const resuming = finish(open(), agent, thread)
      const result = await driving
      expect(['completed', 'interrupted', 'incomplete']).toContain(result.status)
      expect((await resuming).finalOutput).toBe('done after 2 results')
      expect(ran.map(({ tool }) => tool)).toEqual(['lookup', 'refund'])
      expect(ofType(await entriesOf(open(), thread), 'call.started').length).toBe(2)
    }
  })
})

describe.each(places)('5.3: a worker that comes back after its lease went to another, %s', (_, place) => {
  it('may still say what it did, and the question about it is closed', async () => {
    const { open, agent, ran, slow, late, other } = await overtaken(place)
    const about = other.interruptions.find(({ reason }) => reason === 'unknown_outcome')
    expect(about).toMatchObject({ toolName: 'lookup' })
    slow.open()
    expect((await late).interruptions).toMatchObject([{ toolName: 'refund' }])
    const entries = await entriesOf(open(), threadId)
    expect(ofType(entries, 'call.finished')).toMatchObject([{ attempt: 1 }])
    expect(ofType(entries, 'request.closed')).toMatchObject([{ id: about!.id, status: 'superseded' }])
    const desk = openDesk({ store: open() })
    await expect(desk.decide({ request: about!.id, decision: { type: 'approve' }, by: ann })).rejects.toMatchObject({
      name: 'HitlStaleAnswer',
      requestStatus: 'superseded',
    })
    await desk.decide({ request: other.interruptions[0]!.id, decision: { type: 'reject' }, by: ann })
    expect((await finish(open(), agent)).finalOutput).toBe('done after 2 results')
    expect(ran.map(({ tool }) => tool)).toEqual(['lookup'])
  })

  it('is not heard once a person had the call run again', async () => {
    const { open, agent, ran, slow, late, other } = await overtaken(place)
    for (const request of other.interruptions) await other.state.approve(request, { by: ann })
    const again = run(agent, other.state)
    while (ran.length < 3) await new Promise((resolve) => setImmediate(resolve))
    slow.open()
    expect((await again).status).toBe('completed')
    expect((await late).status).not.toBe('failed')
    const entries = await entriesOf(open(), threadId)
    const lookups = ofType(entries, 'call.finished').filter(({ result }) => result.content === 'found')
    expect(lookups).toMatchObject([{ attempt: 2 }])
    const keys = ran.flatMap(({ tool, key }) => (tool === 'lookup' ? [key] : []))
    expect([keys.length, new Set(keys).size]).toEqual([2, 1])
    expect(ran.filter(({ tool }) => tool === 'refund').length).toBe(1)
  })
})

/** A worker in the middle of a body, whose lease ran out, and another one that took the thread over meanwhile. */
async function overtaken(place: RacePlace) {
  let aheadMs = 0
  const open = place({ now: () => Date.now() + aheadMs })
  const slow = latch()
  const made = cashier({ lookup: slow.passed })
  const late = run(made.agent, 'Refund it.', { threadId, store: open() })
  await openRequest(open())
  aheadMs = 31_000
  const other = await run(made.agent, await RunState.load(made.agent, { threadId, store: open() }))
  expect(other.status).toBe('interrupted')
  return { ...made, open, slow, late, other }
}

describe('A state text that is restored twice', () => {
  it('is a copy: it runs twice without a store', async () => {
    const { agent, ran } = cashier()
    const paused = await run(agent, 'Refund it.')
    await paused.state.approve(paused.interruptions[0]!)
    const text = paused.state.toString()
    for (let copy = 0; copy < 2; copy++) await run(agent, await RunState.fromString(agent, text))
    expect(ran.filter(({ tool }) => tool === 'refund').length).toBe(2)
  })

  it.each(places)('runs once with a store, %s', async (_, place) => {
    const open = place()
    const { agent, ran } = cashier()
    const paused = await run(agent, 'Refund it.')
    await paused.state.approve(paused.interruptions[0]!)
    const text = paused.state.toString()
    const restore = () => RunState.fromString(agent, text, { trust: true })
    const copies = await Promise.all(Array.from({ length: 8 }, restore))
    const ends = await Promise.allSettled(copies.map((copy) => run(agent, copy, { store: open() })))
    expectOneDriver(ends)
    const again = await run(agent, await restore(), { store: open() })
    expect(again).toMatchObject({ status: 'completed', finalOutput: 'done after 2 results' })
    expect(ran.filter(({ tool }) => tool === 'refund').length).toBe(1)
  })
})

/** At least one completed; the others were refused with a type, or got the same result. */
function expectOneDriver(ends: readonly PromiseSettledResult<RunResult>[]): void {
  const completed = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
  expect(completed.length).toBeGreaterThan(0)
  for (const result of completed)
    expect(result).toMatchObject({ status: 'completed', finalOutput: 'done after 2 results' })
  for (const end of ends)
    if (end.status === 'rejected')
      expect(end.reason).toMatchObject({ name: 'ThreadBusy', threadId: expect.any(String) })
}

/** Resumes until the thread has ended, as a patient caller would. */
async function finish(store: Store, agent: ReturnType<typeof cashier>['agent'], thread = threadId): Promise<RunResult> {
  for (;;) {
    try {
      const result = await run(agent, await RunState.load(agent, { threadId: thread, store }))
      if (result.status === 'completed') return result
      expect(result).toMatchObject({ status: 'interrupted' })
    } catch (error) {
      expect(error).toMatchObject({ name: 'ThreadBusy' })
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

/** The id of the thread's open request, as soon as there is one. */
async function openRequest(store: Store, thread = threadId): Promise<string> {
  for (;;) {
    const { requests } = await openDesk({ store }).list({ threadId: thread, status: 'open' })
    if (requests[0]) return requests[0].id
    await new Promise((resolve) => setImmediate(resolve))
  }
}
