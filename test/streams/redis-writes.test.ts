import { once } from 'node:events'
import { Redis } from 'ioredis'
import { expect, it, onTestFinished, vi } from 'vitest'
import { redisStreams } from '../../src/redis.ts'
import { startRedis } from '../support/servers/redis-server.ts'

it('sends the commands of one turn of the event loop in one write, and none is lost', async () => {
  const server = await startRedis()
  onTestFinished(() => server.remove())
  const client = new Redis(server.url)
  onTestFinished(() => client.disconnect())
  await once(client, 'ready')
  const streams = redisStreams({ client })
  onTestFinished(() => streams.shutdown())
  // The first of each kind loads its script.
  await streams.open('s0', { owner: 'ann', expireSeconds: 60 })
  await streams.describe('s0')
  const writes = [vi.spyOn(client.stream, '_write'), vi.spyOn(client.stream, '_writev')]
  const looks = Array.from({ length: 50 }, () => streams.describe('s0'))
  expect(await Promise.all(looks)).toEqual(looks.map(() => expect.objectContaining({ owner: 'ann' })))
  expect(writes.reduce((sum, { mock }) => sum + mock.calls.length, 0)).toBe(1)
  // One by one, each goes out at once.
  for (let i = 0; i < 3; i++) await streams.describe('s0')
  expect(writes.reduce((sum, { mock }) => sum + mock.calls.length, 0)).toBe(4)
})
