import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { redisStreams } from '../../src/redis.ts'
import { note, until } from '../../src/testing/streams-suite/tools.ts'
import { startRedis } from '../support/servers/redis-server.ts'

it('a connection that hears nothing any more, without being closed, is found out', async () => {
  const server = await startRedis()
  const proxy = await mutableProxy(server.port)
  const streams = redisStreams({ url: `redis://127.0.0.1:${proxy.port}` })
  await streams.open('s', { owner: 'ann', expireSeconds: 600 })
  const began = performance.now()
  const reading = streams.read('s', { after: '0', waitMs: 60_000 })
  await until(async () => proxy.listening.size === 1, 'somebody who listens')
  await new Promise((resolve) => setTimeout(resolve, 200))
  proxy.mute()
  await streams.send('s', note('n'))
  expect((await reading).kind).toBe('messages')
  // Sooner than by the net, which is there for other things.
  expect(performance.now() - began).toBeLessThan(20_000)
  expect(proxy.listening.size).toBe(2)
  await streams.shutdown()
  proxy.server.close()
  await server.remove()
})

/** Passes everything on until it is told to pass nothing more on the connections that listen. */
async function mutableProxy(target: number): Promise<{
  port: number
  server: Server
  listening: Set<Socket>
  mute(): void
}> {
  const listening = new Set<Socket>()
  const muted = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    client.on('data', (chunk: Buffer) => {
      if (chunk.includes('subscribe')) listening.add(client)
      if (!muted.has(client)) upstream.write(chunk)
    })
    upstream.on('data', (chunk: Buffer) => muted.has(client) || client.write(chunk))
    client.on('close', () => upstream.destroy())
    for (const socket of [client, upstream]) socket.on('error', () => undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    port,
    server,
    listening,
    mute() {
      for (const client of listening) muted.add(client)
    },
  }
}
