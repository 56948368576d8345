import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { memoryStore, openDesk, run, type Store } from '../../src/index.ts'
import { sqliteStore } from '../../src/store/sqlite/store.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { temporaryFolder } from '../store/sqlite/harness.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

const ann = { kind: 'person', id: 'ann' } as const
const bob = { kind: 'person', id: 'bob' } as const
const approve = { type: 'approve' } as const

const stores = {
  memory: (clock: ReturnType<typeof fakeClock>) => memoryStore({ clock }),
  SQLite: (clock: ReturnType<typeof fakeClock>) => sqliteStore({ path: join(temporaryFolder(), 'store.db'), clock }),
}

async function asked(open: (clock: ReturnType<typeof fakeClock>) => Store) {
  const clock = fakeClock()
  const store = open(clock)
  const pay = gated('pay')
  const { agent } = scripted([calls(['a', 'pay', { query: 'x' }]), 'Done.'], [pay])
  const { interruptions } = await run(agent, 'go', { store, threadId: 't' })
  const resume = () => agent.thread('t', { store }).resume()
  return { clock, store, desk: openDesk({ store }), request: interruptions[0]!, pay, resume }
}

const once = (id: string) => [{ op: 'put', kind: 'idempotency', id, value: '{}', expect: 0 }] as const

describe.each(Object.entries(stores))('notes on a request in %s', (_name, open) => {
  it('are kept in order, counted, and move neither the thread of the run nor the version of the request', async () => {
    const { store, desk, request, clock, resume, pay } = await asked(open)
    const before = await store.readHead('t')
    await desk.comment(request, { text: 'Who is this?', by: ann })
    clock.advance(1000)
    await desk.assign(request, { assignee: 'bob', by: ann, seconds: 60 })
    await desk.comment(request.id, { text: 'Mine.', by: 'bob' })
    expect(await desk.notes(request)).toEqual([
      { type: 'comment', at: expect.any(String), by: ann, text: 'Who is this?', version: 1 },
      { type: 'assignment', at: expect.any(String), by: ann, assignee: 'bob', until: expect.any(String) },
      { type: 'comment', at: expect.any(String), by: bob, text: 'Mine.', version: 1 },
    ])
    expect(await store.readHead('t')).toEqual(before)
    const until = clock.now() + 60_000
    expect(await store.getRequest(request.id)).toMatchObject({
      version: 1,
      comments: 2,
      assigned: { id: 'bob', until },
    })
    await desk.decide({ request, decision: approve, by: ann })
    await desk.comment(request, { text: 'Done.', by: ann })
    expect((await resume()).status).toBe('completed')
    expect(pay.runs).toHaveLength(1)
    await store.close()
  })

  it('a claim is refused while somebody else has the request, and not after its time', async () => {
    const { desk, request, clock, store } = await asked(open)
    const until = new Date(clock.now() + 10_000).toISOString()
    expect(await desk.assign(request, { assignee: 'ann', by: ann, seconds: 10, claim: true })).toEqual({
      id: 'ann',
      until,
    })
    await expect(desk.assign(request, { assignee: 'bob', by: bob, claim: true })).rejects.toMatchObject({
      name: 'RequestTaken',
      code: 'request_taken',
      assigned: { id: 'ann', until },
    })
    await desk.assign(request, { assignee: 'ann', by: ann, seconds: 20, claim: true })
    clock.advance(20_000)
    expect(await store.getRequest(request.id)).toMatchObject({ assigned: null })
    expect(await desk.assign(request, { assignee: 'bob', by: bob, claim: true })).toEqual({ id: 'bob' })
    expect(await desk.assign(request, { assignee: null, by: ann })).toBe(null)
    expect(await store.getRequest(request.id)).toMatchObject({ assigned: null })
    await store.close()
  })

  it('a settled request is not assigned, and its author is named', async () => {
    const { desk, request, store } = await asked(open)
    await desk.decide({ request, decision: approve, by: ann })
    const late = desk.assign(request, { assignee: 'bob', by: bob })
    await expect(late).rejects.toMatchObject({ name: 'HitlStaleAnswer', by: ann })
    await store.close()
  })

  it('records are written with what they belong to, and refuse it as a whole', async () => {
    const { desk, request, store } = await asked(open)
    await desk.comment(request, { text: 'once', by: ann, records: once('c') })
    const again = desk.comment(request, { text: 'once', by: ann, records: once('c') })
    await expect(again).rejects.toMatchObject({ name: 'IdempotencyConflict', recordId: 'c' })
    expect(await desk.notes(request)).toHaveLength(1)
    const decide = { request, decision: approve, by: ann, undoSeconds: 60 }
    await expect(desk.decide({ ...decide, records: once('c') })).rejects.toMatchObject({ code: 'idempotency_conflict' })
    expect(await desk.get(request.id)).toMatchObject({ status: 'open', version: 1 })
    await desk.decide({ ...decide, records: once('d') })
    await expect(desk.withdraw(request, ann, { records: once('d') })).rejects.toMatchObject({ recordId: 'd' })
    await desk.withdraw(request, ann, { records: once('w') })
    const cancel = { reason: 'no', by: ann }
    await expect(desk.cancel(request, { ...cancel, records: once('w') })).rejects.toMatchObject({ recordId: 'w' })
    await desk.cancel(request, { ...cancel, records: once('x') })
    const kept = await store.findRecords({ kind: 'idempotency' })
    expect(kept.records.map(({ id }) => id)).toEqual(['c', 'd', 'w', 'x'])
    await store.close()
  })

  it('bad notes are refused before anything is stored', async () => {
    const { desk, request, store } = await asked(open)
    for (const text of ['', ' \n', 'x'.repeat(10_001), '\ud800', 5 as never])
      await expect(desk.comment(request, { text, by: ann })).rejects.toMatchObject({ code: 'decision_invalid' })
    for (const wrong of [{ assignee: '' }, { assignee: null, claim: true }, { assignee: 'a', seconds: 0 }])
      await expect(desk.assign(request, { ...wrong, by: ann })).rejects.toMatchObject({ code: 'decision_invalid' })
    await expect(desk.comment('nothing', { text: 'x', by: ann })).rejects.toMatchObject({ code: 'no_pending_request' })
    expect(await desk.notes(request)).toEqual([])
    await store.close()
  })
})

it('no run can have the name of a thread of notes', async () => {
  const { agent } = scripted(['Done.'], [])
  await expect(run(agent, 'go', { store: memoryStore(), threadId: '~notes/x' })).rejects.toMatchObject({
    code: 'thread_id_invalid',
  })
})
