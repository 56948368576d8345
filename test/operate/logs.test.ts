import { expect, it, onTestFinished } from 'vitest'
import { enqueueRun } from '../../src/worker.ts'
import { holdpoint, start } from '../cli/support/programs.ts'
import { startRedis } from '../support/servers/redis-server.ts'
import { usePostgres } from '../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../support/stores/unsynced-postgres.ts'
import { until } from '../support/until.ts'
import { AGENTS, asked, get, logged, SECRET, scene, urlOf } from './scene.ts'

const server = usePostgres()

it('no log of a run shows arguments, tokens or passwords: Postgres, Redis queue and streams, both roles, and an outage', async () => {
  const { dir, paid, read } = scene()
  const password = 'hunter2-redis-password'
  const redis = await startRedis({ settings: ['--requirepass', password] })
  onTestFinished(() => redis.remove())
  const iban = 'DE02-secret-argument'
  const address = redis.url.replace('redis://', `redis://:${password}@`)
  const { connectionString } = server.get()
  const store = unsyncedPostgres({ connectionString, schema: 'logs' })
  onTestFinished(() => store.close())
  const env = {
    ...{ HOLDPOINT_STORE: connectionString, HOLDPOINT_SCHEMA: 'logs', HOLDPOINT_JWT_SECRET: SECRET, PAID: paid },
    ...{ HOLDPOINT_QUEUE: address, HOLDPOINT_STREAMS: address, HOLDPOINT_METRICS_TOKEN: 'metrics-token-0123' },
  }
  await enqueueRun(store, { agent: 'payer', input: iban, threadId: 't1' })
  const serving = start(dir, ['serve', '--port', '0'], env)
  const working = start(dir, ['worker', '--agents', AGENTS, '--health-port', '0'], env)
  const url = await urlOf(serving, 'url')
  const health = await urlOf(working, 'health')
  expect((await get(`${health}/metrics`)).status).toBe(401)
  expect((await get(`${health}/metrics`, { authorization: 'Bearer metrics-token-0123' })).status).toBe(200)
  const id = await asked(store)
  const token = holdpoint(dir, ['token', '--sub', 'ann', '--role', 'reviewer'], env).stdout.trim()
  const bearer = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const shown = (await (await get(`${url}/v1/requests/${id}`, bearer)).json()) as {
    request: { version: number; digest: string }
  }
  const { version, digest } = shown.request
  const decided = await fetch(`${url}/v1/requests/${id}/decide`, {
    method: 'POST',
    headers: { ...bearer, 'idempotency-key': 'k1' },
    body: JSON.stringify({ version, digest, decision: { type: 'approve' }, undoSeconds: 0 }),
  })
  expect([decided.status, await decided.text()]).toEqual([200, expect.stringContaining(id)])
  await until(() => read().includes('finished'))
  await redis.stop()
  await get(`${url}/readyz`)
  await working.shows('"level":50')
  for (const running of [serving, working]) running.child.kill('SIGTERM')
  expect([await serving.ended, await working.ended]).toEqual([0, 0])
  for (const { output } of [serving, working])
    for (const secret of [iban, token, SECRET, password, 'not-a-secret-but', 'metrics-token-0123'])
      expect(output).not.toContain(secret)
  for (const line of [...logged(serving), ...logged(working)])
    expect(line).toMatchObject({ level: expect.any(Number), time: expect.any(Number), msg: expect.any(String) })
})
