import { describe, expect, it } from 'vitest'
import type { Queue } from '../../src/ports/queue.ts'
import { bullmqQueue } from '../../src/queue/bullmq/queue.ts'
import { postgresQueue } from '../../src/queue/postgres/queue.ts'
import { record, wake } from '../../src/testing/queue-suite/tools.ts'
import { freePort } from '../support/servers/free-port.ts'
import { startPostgres } from '../support/servers/postgres-server.ts'
import { startRedis } from '../support/servers/redis-server.ts'

const PATIENCE = { timeout: 30_000 }

/** Rings until it is accepted: the connections may still be on their way. */
async function ringAgain(queue: Queue, threadId: string): Promise<void> {
  await expect.poll(() => queue.ring(wake(threadId)).then(() => 'accepted', String), PATIENCE).toBe('accepted')
}

/** A server that is killed and started again under a consumer. */
async function survives(
  server: { crash(): Promise<void>; start(): Promise<void>; remove(): Promise<void> },
  queue: Queue,
): Promise<void> {
  try {
    const consumer = await record(queue)
    await queue.ring(wake('before'))
    await expect.poll(() => consumer.threads(), PATIENCE).toContain('before')
    await queue.ring(wake('later'), { delayMs: 2000 })
    await server.crash()
    await expect(queue.ring(wake('meanwhile'))).rejects.toMatchObject({ code: 'queue_failed', retryable: true })
    await expect.poll(() => consumer.errors.length, PATIENCE).toBeGreaterThan(0)
    await server.start()
    await ringAgain(queue, 'after')
    await expect.poll(() => consumer.threads(), PATIENCE).toContain('after')
    await expect.poll(() => consumer.threads(), PATIENCE).toContain('later')
    await consumer.stop()
  } finally {
    await queue.close()
    await server.remove()
  }
}

describe('a server that is killed and started again', () => {
  it.concurrent('Redis: the consumer recovers, and what was accepted is handed out', { timeout: 90_000 }, async () => {
    const server = await startRedis({ durable: true })
    await survives(server, bullmqQueue({ connection: server.url, timeoutMs: 2000 }))
  })

  it.concurrent('Postgres: the consumer recovers, and what was accepted is handed out', {
    timeout: 90_000,
  }, async () => {
    const server = await startPostgres()
    const queue = postgresQueue({ connectionString: server.connectionString, timeoutMs: 10_000 })
    await queue.prepare()
    await survives(server, queue)
  })
})

describe('a server that was never reached', () => {
  const engines: [string, (port: number) => Queue][] = [
    ['Redis', (port) => bullmqQueue({ connection: `redis://127.0.0.1:${port}`, timeoutMs: 500 })],
    ['Postgres', (port) => postgresQueue({ connectionString: `postgres://x@127.0.0.1:${port}/x`, timeoutMs: 500 })],
  ]

  it.concurrent.each(engines)(
    '%s: rings reject, consumers report, and both can be closed',
    async (_, open) => {
      const queue = open(await freePort())
      const consumer = await record(queue)
      await expect(queue.ring(wake('t'))).rejects.toMatchObject({ name: 'QueueFailed', code: 'queue_failed' })
      const reason = new Error('given up')
      const giveUp = new AbortController()
      const ringing = queue.ring(wake('t'), { signal: giveUp.signal })
      giveUp.abort(reason)
      await expect(ringing).rejects.toThrow(/given up|did not reach/)
      await expect.poll(() => consumer.errors.length, PATIENCE).toBeGreaterThan(0)
      await queue.close()
      expect(consumer.seen).toEqual([])
    },
    60_000,
  )
})
