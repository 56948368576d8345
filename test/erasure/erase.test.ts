import { describe, expect, it } from 'vitest'
import { type EraseOptions, erase, memoryStore, openDesk, run, type Store, ThreadBusy } from '../../src/index.ts'
import type { HoldpointError } from '../../src/ports.ts'
import { notesThread } from '../../src/protocol/ids.ts'
import { fakeClock, withCrashPoints } from '../../src/testing.ts'
import { askingAgent } from '../support/gateway/inbox-scene.ts'
import { withStore } from '../support/stores/with-store.ts'
import { finishedThread, pausedThread, SECRET, secretThread, WHY } from './scene.ts'

const recorded = async (store: Store) =>
  (await store.read('~erasures')).entries.map(({ body }) => JSON.parse(body).thread as string)

async function bodiesOf(store: Store): Promise<string> {
  const { threads } = await store.threads({ limit: 500 })
  const chains = await Promise.all(threads.map(({ tenantId, threadId }) => store.tenant(tenantId).readChain(threadId)))
  return chains
    .flat()
    .map(({ body }) => body)
    .join('\n')
}

describe('a thread that is not over', () => {
  it('is not erased while requests are open, unless it is aborted: then they are closed first, which consumers learn', async () => {
    const store = memoryStore()
    const id = await pausedThread(store, 't')
    await openDesk({ store }).comment(id, { text: SECRET, by: 'ann' })
    await expect(erase(store, { threadId: 't', ...WHY })).rejects.toMatchObject({ code: 'thread_open', requests: 1 })
    expect((await openDesk({ store }).get(id)).status).toBe('open')
    const { erased } = await erase(store, { threadId: 't', abort: true, ...WHY })
    expect(erased).toMatchObject([{ threadId: 't', requests: 1 }])
    const told = (await store.outbox({ after: '' })).rows.filter((row) => row.id === id).map(({ what }) => what)
    expect(told).toEqual(['opened', 'commented', 'aborted'])
    expect(await bodiesOf(store)).not.toContain(SECRET)
    await expect(store.read(notesThread(id))).rejects.toMatchObject({ code: 'thread_erased' })
    await expect(openDesk({ store }).comment(id, { text: 'late', by: 'ann' })).rejects.toMatchObject({
      code: 'no_pending_request',
    })
  })

  it('is not erased between a decision and the end of its run', async () => {
    const store = memoryStore()
    const id = await pausedThread(store, 't')
    await openDesk({ store }).decide({ request: id, decision: { type: 'approve' }, by: 'ann' })
    await expect(erase(store, { threadId: 't', ...WHY })).rejects.toMatchObject({ code: 'thread_open', requests: 0 })
  })

  it('is not erased while somebody drives it, not even to abort it', async () => {
    const store = memoryStore()
    await finishedThread(store, 't')
    await store.append({ threadId: 't', entries: [], lease: { op: 'take', holder: 'w1', ttlMs: 60_000 } })
    for (const abort of [false, true])
      await expect(erase(store, { threadId: 't', abort, ...WHY })).rejects.toBeInstanceOf(ThreadBusy)
    expect((await store.read('t')).version).toBeGreaterThan(3)
  })

  it('that another process takes up at the last moment is not erased', async () => {
    const store = memoryStore()
    await finishedThread(store, 't')
    const late: Store = {
      ...store,
      async readChain(threadId) {
        await store.append({ threadId, entries: [], lease: { op: 'take', holder: 'w1', ttlMs: 60_000 } })
        return store.readChain(threadId)
      },
    }
    await expect(erase(late, { threadId: 't', ...WHY })).rejects.toBeInstanceOf(ThreadBusy)
  })
})

describe('an erased thread', () => {
  it('cannot be resumed, prompted or decided: a late worker and a replayed write are refused', async () => {
    const store = memoryStore()
    const agent = askingAgent([{ args: { note: SECRET } }])
    const { state } = await run(agent, 'please', { store, threadId: 't' })
    const text = state.toString()
    await erase(store, { threadId: 't', abort: true, ...WHY })
    for (const late of [
      () => run(agent, state, { store }),
      () => run(agent, 'again', { store, threadId: 't' }),
      () => agent.thread('t', { store }).prompt('again'),
      () => store.append({ threadId: 't', entries: ['{"v":1,"type":"session.cleared"}'] }),
    ])
      await expect(
        late().then((result) =>
          'error' in Object(result) ? Promise.reject((result as { error: unknown }).error) : result,
        ),
      ).rejects.toMatchObject({ code: 'thread_erased' })
    expect(text).toContain(SECRET)
    expect(await bodiesOf(store)).not.toContain(SECRET)
  })
})

describe('erasing many threads', () => {
  it('erases those of one tenant, leaves what is not over, and says which', async () => {
    const store = memoryStore()
    const acme = store.tenant('acme')
    await finishedThread(acme, 'a')
    await pausedThread(acme, 'b')
    await finishedThread(store.tenant('other'), 'a')
    const what = { tenantId: 'acme', ...WHY }
    const dry = await erase(store, { ...what, dryRun: true })
    expect(dry.erased).toMatchObject([{ tenantId: 'acme', threadId: 'a' }])
    expect((await acme.read('a')).version).toBeGreaterThan(3)
    const done = await erase(store, what)
    expect(done.erased).toEqual(dry.erased)
    expect(done.refused).toMatchObject([{ tenantId: 'acme', threadId: 'b', error: { code: 'thread_open' } }])
    expect(await recorded(acme)).toEqual(['a'])
    expect((await store.tenant('other').read('a')).version).toBeGreaterThan(3)
    const rest = await erase(store, { ...what, abort: true })
    expect(rest).toMatchObject({ erased: [{ threadId: 'b' }], refused: [] })
    expect(await recorded(acme)).toEqual(['a', 'b'])
    expect(await erase(store, { ...what, abort: true })).toEqual({ erased: [], refused: [] })
  })

  it('erases threads of all tenants that were last written long ago, and no others', async () => {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    for (const tenant of ['one', 'two']) await finishedThread(store.tenant(tenant), 'old')
    clock.advance(10_000)
    await finishedThread(store.tenant('two'), 'new')
    const { erased } = await erase(store, { olderThanMs: 5000, ...WHY })
    expect(erased.map(({ tenantId, threadId }) => `${tenantId}/${threadId}`)).toEqual(['one/old', 'two/old'])
    expect((await store.tenant('two').read('new')).version).toBeGreaterThan(3)
  })

  it.each([
    [{}],
    [{ threadId: 't', tenantId: 'a' }],
    [{ threadId: 't', olderThanMs: 1 }],
    [{ olderThanMs: -1 }],
    [{ threadId: 't', reason: ' ' }],
    [{ threadId: 't', reason: 'x'.repeat(501) }],
    [{ threadId: 't', by: '' }],
    [{ threadId: 't', abort: 'yes' }],
    [{ threadId: '~erasures' }],
    [{ threadId: '~notes/x' }],
    [{ threadId: 't', force: true }],
  ])('refuses %o', async (wrong) => {
    const options = { ...WHY, ...wrong } as unknown as EraseOptions
    await expect(erase(memoryStore(), options)).rejects.toMatchObject({ name: expect.stringMatching(/Invalid$/) })
  })

  it('refuses a thread that there is not', () =>
    expect(erase(memoryStore(), { threadId: 't', ...WHY })).rejects.toMatchObject({ code: 'thread_not_found' }))
})

describe('an erasure that is interrupted', () => {
  it('has erased nothing or is completed by running it again, wherever it was interrupted', async () => {
    const points: string[] = []
    await withStore('sqlite', async (store) => {
      await secretThread(store)
      await erase(
        withCrashPoints(store, (point) => void points.push(point)),
        { threadId: 'order-1', ...WHY },
      )
    })
    expect(points).toEqual([
      ...['before:erased#1', 'after:erased#1', 'before:erased#2', 'after:erased#2'],
      ...['before:thread.erased#1', 'after:thread.erased#1'],
    ])
    for (const crash of points)
      await withStore('sqlite', async (store) => {
        await secretThread(store)
        const breaking = withCrashPoints(store, (point) => {
          if (point === crash) throw new Error('killed')
        })
        await expect(erase(breaking, { threadId: 'order-1', ...WHY })).rejects.toThrow('killed')
        const isErased = await store.read('order-1').then(
          () => false,
          (error: HoldpointError) => error.code === 'thread_erased',
        )
        expect(isErased).toBe(crash !== 'before:erased#1')
        await (isErased
          ? erase(store, { olderThanMs: 86_400_000, ...WHY })
          : erase(store, { threadId: 'order-1', ...WHY }))
        expect(await bodiesOf(store)).not.toContain(SECRET)
        for (const kind of ['erasure', 'stuck', 'idempotency'])
          expect((await store.findRecords({ kind })).records, `${kind} after ${crash}`).toEqual([])
        const messages = (await store.findRecords({ kind: 'delivery' })).records.map(({ value }) => JSON.parse(value))
        expect(messages.map(({ event }) => event)).toEqual(['request.decided'])
        expect(Object.keys(JSON.parse(messages[0].body).data)).toEqual(['id', 'version', 'tenant', 'status'])
        expect(await recorded(store)).toEqual(['order-1'])
      })
  })

  it('by two processes at once is recorded once', async () => {
    const store = memoryStore()
    for (const threadId of ['a', 'b', 'c']) await finishedThread(store, threadId)
    const outcomes = await Promise.all([1, 2, 3].map(() => erase(store, { tenantId: 'default', ...WHY })))
    expect(outcomes.flatMap(({ erased }) => erased.map(({ threadId }) => threadId)).sort()).toEqual(['a', 'b', 'c'])
    expect((await recorded(store)).sort()).toEqual(['a', 'b', 'c'])
  })
})
