import { expect, it } from 'vitest'
import { erase, memoryStore, memoryStreams } from '../../src/index.ts'
import { application, refundOnce, refundTool } from '../support/agents/remote-application.ts'
import { inboxOf } from '../support/gateway/inbox-scene.ts'
import { post, served, tokenOf } from '../support/gateway/served-gateway.ts'
import { finishedThread, pausedThread, SECRET, WHY } from './scene.ts'

it('/v1 says that a thread was erased to those who see all threads, and to others it looks absent', async () => {
  const store = memoryStore()
  const gone = await finishedThread(store, 'gone')
  const kept = await pausedThread(store, 'kept')
  await erase(store, { threadId: 'gone', ...WHY })
  const { as } = inboxOf(store)
  const [admin, ann] = [as({ sub: 'ada', roles: ['admin'] }), as({ sub: 'ann', roles: ['reviewer'] })]
  expect(await admin.get('/v1/threads/gone')).toMatchObject({ status: 410, body: { code: 'thread_erased' } })
  expect(await ann.get('/v1/threads/gone')).toMatchObject({ status: 404 })
  for (const caller of [admin, ann]) {
    expect((await caller.get(`/v1/requests/${gone}`)).status).toBe(404)
    const late = await caller.post(`/v1/requests/${gone}/decide`, { decision: { type: 'approve' }, version: 1 })
    expect(late.status).toBe(404)
    expect((await caller.list()).requests.map(({ id }) => id)).toEqual([kept])
    expect((await caller.get<{ counted: number }>('/v1/figures')).body.counted).toBe(1)
    const { body } = await caller.get<{ threads: { id: string }[] }>('/v1/threads')
    expect(body.threads.map(({ id }) => id)).toEqual(['kept'])
  }
  expect((await admin.get('/v1/threads?stuck=true')).status).toBe(200)
  expect((await admin.get('/v1/grants')).status).toBe(200)
  const { entries } = (await admin.get<{ entries: { entry: object }[] }>('/v1/threads/gone/journal')).body
  expect(entries[0]?.entry).toEqual({ v: 1, type: 'erased' })
  const exported = (await admin.get('/v1/audit')).text
  expect(exported).toContain('thread.erased')
  expect(exported.split('\n').filter((line) => line.includes('"gone"') && line.includes(SECRET))).toEqual([])
})

it('a check of the chains counts erased bodies, and finds a thread that was only marked as erased', async () => {
  const store = memoryStore()
  await finishedThread(store, 'gone')
  await finishedThread(store, 'kept')
  const { version } = await store.read('gone')
  await erase(store, { threadId: 'gone', ...WHY })
  const admin = inboxOf(store).as({ sub: 'ada', roles: ['admin'] })
  expect((await admin.get('/v1/audit/verify')).body).toMatchObject({ ok: true, erased: version, problems: [] })
  const hiding = {
    ...store,
    tenant: () => hiding,
    async readHead(threadId: string) {
      const head = await store.readHead(threadId)
      return threadId === 'kept' ? { ...head, erased: true as const } : head
    },
  }
  const other = inboxOf(hiding).as({ sub: 'ada', roles: ['admin'] })
  expect((await other.get('/v1/audit/verify')).body).toMatchObject({
    ok: false,
    problems: [{ threadId: 'kept', problem: 'it is marked as erased, and no entry says so' }],
  })
})

it('a question of an erased thread is taken off the message stream when somebody reads it', async () => {
  const store = memoryStore()
  const streams = memoryStreams()
  const { url } = await served({ streams, store })
  const app = await application(refundOnce, [refundTool([])], { store, streams })
  const { thread } = app.open()
  const run = thread.prompt('go')
  const [asked] = await app.asked()
  await thread.detach()
  await run
  const { threadId } = asked!.content.body.detail as { threadId: string }
  await erase(store, { threadId, abort: true, ...WHY })
  expect(await app.questions()).toHaveLength(1)
  const poll = { token: await tokenOf('ann'), body: { session_task_id: app.session, timeout: 0 } }
  expect(await (await post(url, '/hil/poll', poll)).text()).not.toContain('HIL_interrupt_request')
  expect(await app.questions()).toEqual([])
  await streams.shutdown()
})
