import { expect, it } from 'vitest'
import type { ApiThreadPage } from '../../../src/protocol/api/records.ts'
import type { RequestDetail } from '../../../src/protocol/api/requests.ts'
import { run } from '../../../src/runtime/run/run.ts'
import { enqueueRun } from '../../../src/worker/enqueue-run.ts'
import { aliveRecord } from '../../../src/worker/shared/live-workers.ts'
import { routeOf } from '../../../src/worker/shared/routes.ts'
import { inboxOf } from '../../support/gateway/inbox-scene.ts'
import { until } from '../../support/until.ts'
import { asked, decide, over, payer, scene } from '../../worker/scene.ts'

const OPERATOR = { sub: 'olga', roles: ['operator'] }
const REVIEWER = { sub: 'ann', roles: ['reviewer'] }

it('a request says before a decision whether a live worker has the version that goes on', async () => {
  const { store, start } = scene()
  const { as } = inboxOf(store)
  const agent = payer({ version: '1' })
  const worker = await start(agent)
  await enqueueRun(store, { agent, threadId: 't', input: 'pay' })
  const id = await asked(store, 't')
  const resumable = async () => (await as(REVIEWER).get<RequestDetail>(`/v1/requests/${id}`)).body.resumable
  expect(await resumable()).toEqual({ live: true, agent: 'payer', version: '1' })
  await worker.stop()
  expect(await resumable()).toEqual({ live: false, agent: 'payer', version: '1' })
})

it('where no workers are used, a request says nothing of them', async () => {
  const { store } = scene()
  const { as } = inboxOf(store)
  await run(payer(), 'pay', { store, threadId: 't' })
  const id = await asked(store, 't')
  expect((await as(REVIEWER).get<RequestDetail>(`/v1/requests/${id}`)).body.resumable).toBeUndefined()
})

it('operators see stuck threads of their tenant and retry them; for others they are absent', async () => {
  const { store, start, events } = scene()
  const { as } = inboxOf(store)
  let isAway = true
  const agent = payer({
    model: {
      async respond() {
        if (isAway) throw new Error('the model is away')
        return { content: 'done' }
      },
    },
  })
  await start(agent, { retries: 0 })
  await enqueueRun(store, { agent, threadId: 't/1', input: 'go' })
  await until(() => events.some(({ type }) => type === 'dead'))
  const operator = as(OPERATOR)
  const { body } = await operator.get<ApiThreadPage>('/v1/threads?stuck=true')
  expect(body.threads).toMatchObject([
    { id: 't/1', open: 0, stuck: { reason: 'dead', agent: 'payer', version: null, tries: 1 } },
  ])
  expect(body.threads[0]?.stuck?.error).toMatchObject({ code: 'model_failed' })
  const elsewhere = as({ ...OPERATOR, tenant: 'other' })
  expect((await elsewhere.get<ApiThreadPage>('/v1/threads?stuck=true')).body.threads).toEqual([])
  for (const person of [REVIEWER, { sub: 'aud', roles: ['auditor'] }]) {
    expect((await as(person).get('/v1/threads?stuck=true')).status).toBe(403)
    expect((await as(person).post('/v1/threads/t%2F1/retry')).status).toBe(404)
  }
  expect((await elsewhere.post('/v1/threads/t%2F1/retry')).status).toBe(404)
  expect((await operator.post('/v1/threads/none/retry')).status).toBe(404)
  isAway = false
  expect(await operator.post('/v1/threads/t%2F1/retry')).toMatchObject({ status: 200, body: { retried: true } })
  await over(store, 't/1')
  expect((await operator.post('/v1/threads/t%2F1/retry')).body).toEqual({ retried: false })
})

it('an operator moves a run to another version, under their name', async () => {
  const { store, start } = scene()
  const { as } = inboxOf(store)
  const first = await start(payer({ version: '1' }))
  await enqueueRun(store, { agent: payer({ version: '1' }), threadId: 't', input: 'pay' })
  await asked(store, 't')
  await until(() => first.status().active === 0)
  await first.stop()
  await decide(store, 't')
  const retry = (body: object) => as(OPERATOR).post('/v1/threads/t/retry', body)
  expect(await retry({ version: '2', reason: 'gone' })).toMatchObject({
    status: 409,
    body: { code: 'version_unavailable' },
  })
  expect((await retry({ version: '2' })).status).toBe(400)
  await start(payer({ version: '2' }))
  expect((await retry({ version: '2', reason: 'gone' })).body).toEqual({ retried: true })
  await over(store, 't')
  const { entries } = await store.read('t')
  const moved = entries.map(({ body }) => JSON.parse(body)).find(({ type }) => type === 'run.moved')
  expect(moved.by).toMatchObject({ kind: 'person', id: 'olga' })
})

it('an operator ends a run for good, under their name; for others it is absent', async () => {
  const { store } = scene()
  const { as } = inboxOf(store)
  await run(payer(), 'pay', { store, threadId: 't/1' })
  const id = await asked(store, 't/1')
  const abort = (person: Parameters<typeof as>[0], path = 't%2F1', body: object = { reason: 'nobody needs it' }) =>
    as(person).post(`/v1/threads/${path}/abort`, body)
  for (const person of [REVIEWER, { sub: 'aud', roles: ['auditor'] }, { ...OPERATOR, tenant: 'other' }])
    expect((await abort(person)).status).toBe(404)
  expect((await abort(OPERATOR, 'none')).status).toBe(404)
  for (const body of [{}, { reason: ' ' }]) expect((await abort(OPERATOR, 't%2F1', body)).status).toBe(400)
  expect((await store.getRequest(id))?.status).toBe('open')
  expect(await abort(OPERATOR)).toMatchObject({ status: 200, body: { aborted: true } })
  expect((await abort(OPERATOR)).body).toEqual({ aborted: false })
  expect((await store.getRequest(id))?.status).toBe('aborted')
  const { entries } = await store.read('t/1')
  const closed = entries.map(({ body }) => JSON.parse(body)).find(({ type }) => type === 'request.closed')
  expect(closed).toMatchObject({ id, status: 'aborted', by: { kind: 'person', id: 'olga' } })
  const { body } = await as(OPERATOR).get<{ story: unknown[] }>('/v1/threads/t%2F1')
  const end = { kind: 'end', status: 'aborted', by: { kind: 'person', id: 'olga' }, reason: 'nobody needs it' }
  expect(body.story.at(-1)).toMatchObject(end)
})

it('a run that somebody drives is neither moved nor ended, and the answer says so', async () => {
  const { store } = scene()
  const { as } = inboxOf(store)
  await run(payer(), 'pay', { store, threadId: 't' })
  const { version } = await store.read('t')
  await store.append({ threadId: 't', version, entries: [], lease: { op: 'take', holder: 'w', ttlMs: 60_000 } })
  const busy = { status: 409, body: { code: 'thread_busy' } }
  await store.writeRecords([aliveRecord({ id: 'w', routes: [routeOf('payer', '2')], since: 0 })])
  expect(await as(OPERATOR).post('/v1/threads/t/retry', { version: '2', reason: 'gone' })).toMatchObject(busy)
  expect(await as(OPERATOR).post('/v1/threads/t/abort', { reason: 'enough' })).toMatchObject(busy)
})
