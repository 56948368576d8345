import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Store } from '../../src/index.ts'
import { openDesk } from '../../src/index.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { enqueueRun } from '../../src/worker.ts'
import { holdpoint, type Running, start } from '../cli/programs.ts'
import { startRedis } from '../support/servers/redis-server.ts'
import { usePostgres } from '../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../support/stores/unsynced-postgres.ts'
import { until } from '../support/until.ts'

const AGENTS = fileURLToPath(new URL('./payers.js', import.meta.url))
const SECRET = 'a secret of the tests that is long enough for HS256'
const server = usePostgres()

function scene() {
  const dir = mkdtempSync(join(tmpdir(), 'holdpoint-operate-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const paid = join(dir, 'paid')
  const read = () => {
    try {
      return readFileSync(paid, 'utf8').split('\n').filter(Boolean)
    } catch {
      return []
    }
  }
  return { dir, paid, read }
}

function fileStore(dir: string): Store {
  const store = sqliteStore({ path: join(dir, 'store.db'), durability: 'process' })
  onTestFinished(() => store.close())
  return store
}

/** The lines that a process has logged. */
function logged(running: Running): Record<string, unknown>[] {
  return running.output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

async function urlOf(running: Running, field: 'url' | 'health'): Promise<string> {
  await running.shows(new RegExp(`"${field}":"http`))
  return logged(running).find((line) => field in line)?.[field] as string
}

async function asked(store: Store): Promise<string> {
  let id = ''
  await until(async () => {
    id = (await store.findRequests({ status: 'open' })).requests[0]?.id ?? ''
    return id !== ''
  })
  return id
}

const get = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { headers, signal: AbortSignal.timeout(10_000) })

describe('holdpoint serve', () => {
  it('serves inbox, API and health on a free port, drains at SIGTERM and ends with 0', async () => {
    const { dir } = scene()
    const env = { HOLDPOINT_JWT_SECRET: SECRET, HOLDPOINT_METRICS_TOKEN: 'a token for the metrics' }
    const running = start(dir, ['serve', '--store', 'store.db', '--port', '0'], env)
    const url = await urlOf(running, 'url')
    expect((await get(`${url}/healthz`)).status).toBe(200)
    expect(await (await get(`${url}/readyz`)).json()).toEqual({ status: 'ok', checks: { store: 'ok' } })
    expect(await (await get(url, { accept: 'text/html' })).text()).toContain('<!doctype html>')
    const token = holdpoint(dir, ['token', '--sub', 'ann', '--role', 'reviewer'], env).stdout.trim()
    expect((await get(`${url}/v1/requests`, { authorization: `Bearer ${token}` })).status).toBe(200)
    expect((await get(`${url}/v1/requests`)).status).toBe(401)
    const metrics = await (await get(`${url}/metrics`, { authorization: 'Bearer a token for the metrics' })).text()
    expect(metrics).toMatch(/^holdpoint_ready_threads 0$/m)
    expect(metrics).toMatch(/^holdpoint_oldest_ready_thread_age_seconds 0$/m)
    running.child.kill('SIGTERM')
    expect(await running.ended).toBe(0)
    expect(logged(running).flatMap(({ msg }) => (msg === 'request' ? [] : [msg]))).toEqual([
      'the gateway listens',
      'the gateway ends after a signal',
      'the gateway has ended',
    ])
  })

  it('is not ready while its store cannot be reached, and says so without the password', async () => {
    const { dir } = scene()
    const store = 'postgres://u:hunter2secret@127.0.0.1:1/x'
    const running = start(dir, ['serve', '--port', '0'], { HOLDPOINT_STORE: store, HOLDPOINT_JWT_SECRET: SECRET })
    const url = await urlOf(running, 'url')
    expect((await get(`${url}/healthz`)).status).toBe(200)
    const ready = await get(`${url}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'unavailable', checks: { store: 'failed' } }])
    running.child.kill('SIGTERM')
    expect(await running.ended).toBe(0)
    expect(running.output).not.toContain('hunter2secret')
  })
})

describe('holdpoint worker', () => {
  it('drives what was enqueued and decided, tells its health and metrics, and ends with 0 at SIGTERM', async () => {
    const { dir, paid, read } = scene()
    const store = fileStore(dir)
    await enqueueRun(store, { agent: 'payer', input: 'DE02', threadId: 't1' })
    const args = ['worker', '--agents', AGENTS, '--store', 'store.db', '--health-port', '0']
    const running = start(dir, args, { PAID: paid })
    const url = await urlOf(running, 'health')
    const id = await asked(store)
    expect(await (await get(`${url}/readyz`)).json()).toEqual({ status: 'ok', checks: { store: 'ok' } })
    await openDesk({ store }).decide({ id, decision: { type: 'approve' }, by: 'ann' })
    await until(() => read().includes('finished'))
    let metrics = ''
    await until(async () => {
      metrics = await (await get(`${url}/metrics`)).text()
      return metrics.includes('holdpoint_drives_total{outcome="over"} 1')
    })
    expect(metrics).toMatch(/^holdpoint_resume_seconds_count 2$/m)
    expect(metrics).toMatch(/^holdpoint_worker_leads 1$/m)
    expect(metrics.replaceAll(/^#.*$/gm, '')).not.toMatch(/tenant|default|\bt1\b|\bann\b|DE02/)
    expect((await get(`${url}/nothing`)).status).toBe(404)
    running.child.kill('SIGTERM')
    expect(await running.ended).toBe(0)
    expect(read()).toEqual(['DE02', 'finished'])
  })

  it('lets a tool that runs finish after SIGTERM; a second signal ends it at once', async () => {
    for (const [signals, code, finished] of [
      [1, 0, true],
      [2, 143, false],
    ] as const) {
      const { dir, paid, read } = scene()
      const store = fileStore(dir)
      await enqueueRun(store, { agent: 'payer', input: 'DE02', threadId: 't1' })
      const env = { PAID: paid, PAYING_MS: signals === 1 ? '1000' : '60000' }
      const running = start(dir, ['worker', '--agents', AGENTS, '--store', 'store.db'], env)
      const id = await asked(store)
      await openDesk({ store }).decide({ id, decision: { type: 'approve' }, by: 'ann' })
      await until(() => read().includes('DE02'))
      running.child.kill('SIGTERM')
      await running.shows('ends after a signal')
      if (signals === 2) running.child.kill('SIGTERM')
      expect(await running.ended).toBe(code)
      expect(read().includes('finished')).toBe(finished)
    }
  })
})

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
}, 60_000)
