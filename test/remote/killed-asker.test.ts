import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../src/client.ts'
import { HilMessageStreamContext } from '../../src/index.ts'
import { redisStreams } from '../../src/redis.ts'
import { served, tokenOf } from '../support/gateway/served-gateway.ts'
import { startRedis } from '../support/servers/redis-server.ts'
import { until } from '../support/until.ts'

it('what a killed application asked is said to be unheard, and leaves every screen when its session is taken over', async () => {
  const redis = await startRedis()
  const streams = redisStreams({ url: redis.url })
  onTestFinished(async () => {
    await streams.shutdown()
    await redis.remove()
  })
  const session = randomUUID()
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'asker.js'), JSON.stringify({ redis: redis.url, session })],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const { url } = await served({ streams })
  const client = createClient({ url, token: await tokenOf('ann'), backoff: { initialMs: 20, maxMs: 100 } })
  const [tab, inbox] = [client.session(session), client.inbox()]
  await until(() => inbox.pending.length === 2)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const again = tab.state === 'gone' ? client.session(session) : tab
  await until(() => again.pending.length === 2)
  // The session lives on for an hour, but its owner need not wait for that.
  const [one] = again.pending
  await until(async () => (await client.respond(session, one!.id, 'late')) === 'unheard')
  await until(() => again.pending.length === 1 && inbox.pending.length === 1)
  await using line = await HilMessageStreamContext.open(session, { streams, owner: 'ann', takeOver: true })
  await until(() => again.pending.length === 0 && inbox.pending.length === 0)
  expect(line.sessions).toEqual([session])
  expect(again.state).toBe('open')
  again.close()
  inbox.close()
  await Promise.all([again.ended, inbox.ended])
})
