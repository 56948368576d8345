import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Queue } from '../../src/ports/queue.ts'
import { bullmqQueue } from '../../src/queue/bullmq/queue.ts'
import { postgresQueue } from '../../src/queue/postgres/queue.ts'
import { record, wake } from '../../src/testing/queue-suite/tools.ts'
import { freePort } from '../support/servers/free-port.ts'
import { startPostgres } from '../support/servers/postgres-server.ts'
import { startRedisCluster } from '../support/servers/redis-cluster.ts'
import { startRedis } from '../support/servers/redis-server.ts'
import { until } from '../support/until.ts'

const LEAVER = fileURLToPath(new URL('leaver.js', import.meta.url))
const PATIENCE = { timeout: 60_000 }

/** Rings until it is accepted: the connections may still be on their way. */
async function ringAgain(queue: Queue, threadId: string, options?: Parameters<Queue['ring']>[1]): Promise<void> {
  const accepted = () =>
    queue.ring(wake(threadId), options).then(
      () => true,
      () => false,
    )
  await until(accepted, PATIENCE.timeout)
}

/** A server that is killed and started again under a consumer. */
async function survives(
  server: { crash(): Promise<void>; start(): Promise<void>; remove(): Promise<void> },
  queue: Queue,
): Promise<void> {
  try {
    const consumer = await record(queue)
    const handled = (thread: string) => until(() => consumer.threads().includes(thread), PATIENCE.timeout)
    await ringAgain(queue, 'before')
    await handled('before')
    await ringAgain(queue, 'later', { delayMs: 2000 })
    await server.crash()
    await expect(queue.ring(wake('meanwhile'))).rejects.toMatchObject({ code: 'queue_failed', retryable: true })
    await until(() => consumer.errors.length > 0, PATIENCE.timeout)
    await server.start()
    await ringAgain(queue, 'after')
    await handled('after')
    await handled('later')
    await consumer.stop()
  } finally {
    await queue.close()
    await server.remove()
  }
}

describe('a server that is killed and started again', () => {
  it.concurrent('Redis: the consumer recovers, and what was accepted is handed out', { timeout: 200_000 }, async () => {
    const server = await startRedis({ durable: true })
    await survives(server, bullmqQueue({ connection: server.url, timeoutMs: 10_000 }))
  })

  it.concurrent.each(['a node', 'all nodes'])(
    '%s of a Redis Cluster: the consumer recovers, and what was accepted is handed out',
    { timeout: 200_000 },
    async (which) => {
      const cluster = await startRedisCluster({ durable: true, nodeTimeoutMs: 2000 })
      const victims = which === 'a node' ? [await cluster.nodeOf('{r}')] : cluster.nodes
      const queue = bullmqQueue({ connection: cluster.url, timeoutMs: 10_000 })
      const crash = async () => void (await Promise.all(victims.map((node) => node.crash())))
      const start = async () => void (await Promise.all(victims.map((node) => node.start())))
      await survives({ crash, start, remove: cluster.remove }, queue)
    },
  )

  it.concurrent('Postgres: the consumer recovers, and what was accepted is handed out', {
    timeout: 200_000,
  }, async () => {
    const server = await startPostgres()
    const queue = postgresQueue({ connectionString: server.connectionString, timeoutMs: 60_000 })
    await queue.prepare()
    await survives(server, queue)
  })
})

type Engine = 'bullmq' | 'postgres'

/** A process that consumes, and ends its queue when it is told to. */
function startLeaver(engine: Engine, options: object) {
  const child = spawn(process.execPath, [LEAVER, engine, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit', { signal: AbortSignal.timeout(PATIENCE.timeout) })
  let said = ''
  child.stdout.on('data', (text: Buffer) => {
    said += text
  })
  return {
    says: (what: RegExp, times = 1) => until(() => (said.match(what)?.length ?? 0) >= times, PATIENCE.timeout),
    leave() {
      child.stdin.end()
      return exited
    },
    kill: () => child.kill('SIGKILL'),
  }
}

/** A process that is told to close its queue while the server is away. */
async function leaves(
  engine: Engine,
  {
    server,
    queue,
    options,
  }: { server: { crash(): Promise<void>; remove(): Promise<void> }; queue: Queue; options: object },
): Promise<void> {
  const leaver = startLeaver(engine, options)
  try {
    for (const route of ['here', 'there']) await queue.ring(wake('before', route))
    await leaver.says(/handled before/g, 2)
    await server.crash()
    await leaver.says(/failed/g)
    expect(await leaver.leave()).toEqual([0, null])
  } finally {
    leaver.kill()
    await queue.close()
    await server.remove()
  }
}

describe('a process that closes its queue while the server is away ends by itself', () => {
  it.concurrent('Redis', { timeout: 200_000 }, async () => {
    const server = await startRedis()
    const options = { connection: server.url }
    await leaves('bullmq', { server, queue: bullmqQueue(options), options })
  })

  it.concurrent('a Redis Cluster', { timeout: 200_000 }, async () => {
    const cluster = await startRedisCluster({ nodeTimeoutMs: 2000 })
    const options = { connection: cluster.url }
    const crash = async () => void (await Promise.all(cluster.nodes.map((node) => node.crash())))
    await leaves('bullmq', { server: { crash, remove: cluster.remove }, queue: bullmqQueue(options), options })
  })

  it.concurrent('Postgres', { timeout: 200_000 }, async () => {
    const server = await startPostgres()
    const options = { connectionString: server.connectionString }
    await leaves('postgres', { server, queue: postgresQueue(options), options })
  })

  it.concurrent.each([
    ['Redis', 'bullmq', (port: number) => ({ connection: `redis://127.0.0.1:${port}` })],
    ['a Redis Cluster', 'bullmq', (port: number) => ({ connection: `redis+cluster://127.0.0.1:${port}` })],
    ['Postgres', 'postgres', (port: number) => ({ connectionString: `postgres://x@127.0.0.1:${port}/x` })],
  ] as const)('%s that was never reached', { timeout: 200_000 }, async (_, engine, optionsOf) => {
    const leaver = startLeaver(engine, optionsOf(await freePort()))
    try {
      await leaver.says(/failed/g)
      expect(await leaver.leave()).toEqual([0, null])
    } finally {
      leaver.kill()
    }
  })
})

describe('a server that was never reached', () => {
  const engines: [string, (port: number) => Queue][] = [
    ['Redis', (port) => bullmqQueue({ connection: `redis://127.0.0.1:${port}`, timeoutMs: 500 })],
    ['a Redis Cluster', (port) => bullmqQueue({ connection: `redis+cluster://127.0.0.1:${port}`, timeoutMs: 500 })],
    ['Postgres', (port) => postgresQueue({ connectionString: `postgres://x@127.0.0.1:${port}/x`, timeoutMs: 500 })],
  ]

  it.concurrent.each(engines)('%s: rings reject, consumers report, and both can be closed', async (_, open) => {
    const queue = open(await freePort())
    const consumer = await record(queue)
    await expect(queue.ring(wake('t'))).rejects.toMatchObject({ name: 'QueueFailed', code: 'queue_failed' })
    const reason = new Error('given up')
    const giveUp = new AbortController()
    const ringing = queue.ring(wake('t'), { signal: giveUp.signal })
    giveUp.abort(reason)
    await expect(ringing).rejects.toThrow(/given up|did not reach/)
    await until(() => consumer.errors.length > 0, PATIENCE.timeout)
    await queue.close()
    expect(consumer.seen).toEqual([])
  })
})
