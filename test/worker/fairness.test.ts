import { expect, it } from 'vitest'
import type { Queue } from '../../src/ports/queue.ts'
import { inProcessQueue } from '../../src/queue/in-process/queue.ts'
import type { ToolContext } from '../../src/runtime/definition/tool/tool-context.ts'
import { enqueueRun } from '../../src/worker/enqueue-run.ts'
import { latch } from '../support/latch.ts'
import { until } from '../support/until.ts'
import { over, payer, scene } from './scene.ts'

it('a tenant with many threads does not hold up the others', async () => {
  const { store, start } = scene()
  const order: string[] = []
  const go = latch()
  const agent = payer({
    needsApproval: false,
    async pay({ context, threadId }) {
      await go.passed
      order.push(`${context}${threadId}`)
    },
  })
  const worker = await start(agent, { concurrency: 1, sweepMs: 600_000 })
  const enqueue = (tenant: string, threadId: string) =>
    enqueueRun(store.tenant(tenant), { agent, threadId, input: 'pay', context: tenant })
  for (let i = 0; i < 10; i++) await enqueue('big', String(i))
  await until(() => worker.status().active === 1 && worker.status().waiting === 9)
  for (const tenant of ['small', 'tiny']) await enqueue(tenant, '0')
  await until(() => worker.status().waiting === 11)
  go.open()
  await until(() => order.length === 12)
  expect(order.slice(0, 4).sort()).toEqual(['big0', 'big1', 'small0', 'tiny0'])
})

it('no more threads of one tenant are driven at once than allowed', async () => {
  const { store, start } = scene()
  let [now, most] = [0, 0]
  const agent = payer({
    needsApproval: false,
    async pay() {
      now += 1
      most = Math.max(most, now)
      await new Promise((resolve) => setTimeout(resolve, 2))
      now -= 1
    },
  })
  await start(agent, { concurrency: 8, perTenant: 2 })
  const threads = Array.from({ length: 12 }, (_, i) => `t${i}`)
  for (const threadId of threads) await enqueueRun(store, { agent, threadId, input: 'pay' })
  await over(store, ...threads)
  expect(most).toBe(2)
})

it('what does not fit into the backlog is driven later', async () => {
  const { store, start } = scene()
  const agent = payer({ needsApproval: false })
  await start(agent, { concurrency: 1, backlog: 2 })
  const threads = Array.from({ length: 20 }, (_, i) => `t${i}`)
  await Promise.all(threads.map((threadId) => enqueueRun(store, { agent, threadId, input: 'pay' })))
  await over(store, ...threads)
})

it('a tenant with many threads does not hide a thread of another whose ring was lost', async () => {
  const queue = inProcessQueue()
  const ring: Queue['ring'] = async (wakeUp, options) => {
    if (wakeUp.tenantId !== 'small') await queue.ring(wakeUp, options)
  }
  const { store, start } = scene({ queue: { ...queue, ring } })
  const go = latch()
  const pay = ({ context }: ToolContext) => (context === 'big' ? go.passed : undefined)
  const agent = payer({ needsApproval: false, pay })
  const worker = await start(agent, { concurrency: 2, perTenant: 1 })
  const enqueue = (tenant: string, threadId: string) =>
    enqueueRun(store.tenant(tenant), { agent, threadId, input: 'pay', context: tenant })
  for (let i = 0; i < 10; i++) await enqueue('big', String(i))
  await until(() => worker.status().active === 1 && worker.status().waiting === 9)
  await enqueue('small', 't')
  await over(store.tenant('small'), 't')
  go.open()
})

it('an agent and a version of 200 characters of any script are driven', async () => {
  const { store, start } = scene()
  const agent = payer({ id: '長'.repeat(200), version: '版'.repeat(200), needsApproval: false })
  await start(agent, { sweepMs: 600_000 })
  await enqueueRun(store, { agent, threadId: 't', input: 'pay' })
  await over(store, 't')
})
