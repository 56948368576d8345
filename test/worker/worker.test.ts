import { expect, it } from 'vitest'
import { run } from '../../src/runtime/run/run.ts'
import { enqueueRun } from '../../src/worker/enqueue-run.ts'
import { until } from '../support/until.ts'
import { asked, decide, over, payer, scene } from './scene.ts'

it('a worker resumes a thread once its request is decided', async () => {
  const { store, start, events } = scene()
  const paid: string[] = []
  await start(payer({ pay: ({ threadId }) => paid.push(threadId) }))
  await run(payer(), 'pay', { store, threadId: 't' })
  await decide(store, 't')
  await over(store, 't')
  expect(paid).toEqual(['t'])
  await until(() => events.some((event) => event.type === 'driven' && event.outcome === 'over'))
})

it('a worker starts a run that was enqueued by a process without the agent', async () => {
  const { store, start } = scene()
  const enqueued = await enqueueRun(store, { agent: 'payer', threadId: 't', input: 'pay' })
  expect(enqueued.threadId).toBe('t')
  await start(payer())
  await decide(store, 't')
  await over(store, 't')
})

it('the same run is enqueued once, however often the call is repeated', async () => {
  const { store, start } = scene()
  const once = () => enqueueRun(store, { agent: 'payer', threadId: 't', runId: 'r1', input: 'pay' })
  expect([await once(), await once()]).toEqual([
    { threadId: 't', runId: 'r1' },
    { threadId: 't', runId: 'r1' },
  ])
  await start(payer({ needsApproval: false }))
  await over(store, 't')
  const { version } = await store.read('t')
  await once()
  expect((await store.read('t')).version).toBe(version)
})

it('each thread is driven by one of several workers, and each tool runs once', async () => {
  const { store, start } = scene()
  const paid: string[] = []
  const agent = payer({ pay: ({ threadId }) => paid.push(threadId) })
  for (let i = 0; i < 3; i++) await start(agent, { concurrency: 4 })
  const threads = Array.from({ length: 30 }, (_, i) => `t${i}`)
  await Promise.all(threads.map((threadId) => enqueueRun(store, { agent, threadId, input: 'pay' })))
  await Promise.all(threads.map((threadId) => decide(store, threadId)))
  await over(store, ...threads)
  expect(paid.sort()).toEqual([...threads].sort())
})

it('deadlines are recorded, and the run goes on', async () => {
  const { store, start } = scene()
  await start(payer({ timeoutSeconds: 0.05 }))
  await enqueueRun(store, { agent: 'payer', threadId: 't', input: 'pay' })
  await over(store, 't')
  const { requests } = await store.findRequests({ threadId: 't' })
  expect(requests[0]?.status).toBe('expired')
})

it('threads of all tenants are driven', async () => {
  const { store, start } = scene()
  const paid: string[] = []
  await start(payer({ pay: ({ context }) => paid.push(context as string) }))
  for (const tenant of ['a', 'b'])
    await enqueueRun(store.tenant(tenant), { agent: 'payer', threadId: 't', input: 'pay', context: tenant })
  for (const tenant of ['a', 'b']) await decide(store.tenant(tenant), 't')
  for (const tenant of ['a', 'b']) await over(store.tenant(tenant), 't')
  expect(paid.sort()).toEqual(['a', 'b'])
})

it('a worker is started once, and reports what it does', async () => {
  const { store, start } = scene()
  const worker = await start(payer())
  await expect(worker.start()).rejects.toThrow('started once')
  expect(worker.status()).toMatchObject({ state: 'running', routes: ['payer'], active: 0, waiting: 0 })
  await worker.stop()
  expect(worker.status()).toMatchObject({ state: 'stopped', leads: false })
  await enqueueRun(store, { agent: 'payer', threadId: 't', input: 'pay' })
  expect((await store.read('t')).version).toBe(1)
})

it('a thread that waits for people holds no slot', async () => {
  const { store, start } = scene()
  const worker = await start(payer(), { concurrency: 1 })
  const threads = ['a', 'b', 'c']
  for (const threadId of threads) await enqueueRun(store, { agent: 'payer', threadId, input: 'pay' })
  for (const threadId of threads) await asked(store, threadId)
  await until(() => worker.status().active === 0)
})
