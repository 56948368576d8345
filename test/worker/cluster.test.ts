import { expect, it, onTestFinished } from 'vitest'
import { bullmqQueue } from '../../src/queue/bullmq/queue.ts'
import { enqueueRun } from '../../src/worker/enqueue-run.ts'
import { startRedisCluster } from '../support/servers/redis-cluster.ts'
import { soak } from '../support/soak.ts'
import { until } from '../support/until.ts'
import { decide, over, payer, scene } from './scene.ts'

const LOAD = soak.times(20, 200)

/** Without braces the routes are spread over the nodes; with braces all of them are on one. */
it.each(soak.sample(['{held}', 'spread'], { part: 0, of: 2 }))(
  'a node of a Redis Cluster that is killed under load loses no decision (prefix %s)',
  async (prefix) => {
    const cluster = await startRedisCluster({ nodeTimeoutMs: 2000 })
    onTestFinished(() => cluster.remove())
    const open = () => bullmqQueue({ connection: cluster.url, prefix, timeoutMs: 2000 })
    const { store, start, events } = scene({ queue: open() })
    const paid: string[] = []
    const agent = payer({ pay: ({ threadId }) => paid.push(threadId) })
    for (let i = 0; i < 2; i++) {
      const queue = open()
      onTestFinished(() => queue.close())
      await start(agent, { queue, sweepMs: 200 })
    }
    const victim = await cluster.nodeOf(prefix.includes('{') ? prefix : '{payer}')
    const threads = (name: string) => Array.from({ length: LOAD }, (_, i) => `${name}-${i}`)
    /** Every thread is enqueued and decided by itself, so that runs begin, wait and end at the same time. */
    const load = (name: string) =>
      threads(name).map(async (threadId) => {
        await enqueueRun(store, { agent, threadId, input: 'pay' })
        await decide(store, threadId)
      })

    const first = load('before')
    await until(() => paid.length > 0)
    await victim.crash()
    await Promise.all([...first, ...load('meanwhile')])
    await over(store, ...threads('before'), ...threads('meanwhile'))
    await until(() => events.some(({ type }) => type === 'error'))

    // It comes back without its data.
    await victim.start()
    await until(cluster.isOk)
    await Promise.all(load('after'))
    await over(store, ...threads('after'))
    expect(paid.sort()).toEqual(['before', 'meanwhile', 'after'].flatMap(threads).sort())
  },
)
