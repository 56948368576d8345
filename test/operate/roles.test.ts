import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDesk } from '../../src/index.ts'
import { enqueueRun } from '../../src/worker.ts'
import { holdpoint, start } from '../cli/support/programs.ts'
import { startPostgres } from '../support/servers/postgres-server.ts'
import { freshSchema, useAdmin, usePostgres } from '../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../support/stores/unsynced-postgres.ts'
import { until } from '../support/until.ts'
import { AGENTS, asked, fileStore, get, logged, SECRET, scene, urlOf } from './scene.ts'

const postgres = usePostgres()
const admin = useAdmin(postgres)

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

describe('a process whose store does not answer since its start', () => {
  it.each([
    ['serve', ['--port', '0']],
    ['worker', ['--agents', AGENTS]],
  ])('ends with 1 and says why, without the password: %s', async (role, args) => {
    const { dir } = scene()
    const place = 'postgres://u:hunter2secret@127.0.0.1:1/x'
    const env = { HOLDPOINT_STORE: place, HOLDPOINT_JWT_SECRET: SECRET, HOLDPOINT_START_SECONDS: '0' }
    const running = start(dir, [role, ...args], env)
    expect(await running.ended).toBe(1)
    const lines = running.output.trim().split('\n')
    const errors = lines.filter((line) => !line.startsWith('{'))
    expect(errors).toEqual([
      expect.stringMatching(/^error: Postgres at 127\.0\.0\.1:1\/x, .*ECONNREFUSED.* \[store_failed\]$/),
    ])
    const told = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line).msg)
    expect(told).toContain('the store has not answered since the start: this process ends')
    expect(running.output).not.toContain('hunter2secret')
  })

  it.each([
    ['serve', ['--port', '0']],
    ['worker', ['--agents', AGENTS]],
    ['mcp-proxy', ['--config', 'proxy.json']],
  ])('ends with 1 before it does anything if its store is a file that cannot be opened: %s', (role, args) => {
    const { dir } = scene()
    const proxy = { servers: { files: { command: 'never-started' } }, store: 'notes.txt' }
    writeFileSync(join(dir, 'proxy.json'), JSON.stringify(proxy))
    writeFileSync(join(dir, 'notes.txt'), 'These are my notes, and they are no store. '.repeat(100))
    const done = holdpoint(dir, [role, ...args, '--store', 'notes.txt'], { HOLDPOINT_JWT_SECRET: SECRET })
    expect(done).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^error: .* \[store_corrupt\]\n$/) })
  })

  it('serves if the store comes up meanwhile', async () => {
    const { dir } = scene()
    const late = await startPostgres()
    onTestFinished(() => late.remove())
    await late.stop()
    const env = { HOLDPOINT_STORE: late.connectionString, HOLDPOINT_JWT_SECRET: SECRET, HOLDPOINT_START_SECONDS: '600' }
    const running = start(dir, ['serve', '--port', '0'], env)
    const url = await urlOf(running, 'url')
    expect((await get(`${url}/readyz`)).status).toBe(503)
    await late.start()
    await until(async () => (await get(`${url}/readyz`)).status === 200)
    running.child.kill('SIGTERM')
    expect(await running.ended).toBe(0)
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

  it('in one Postgres with its queue hears of a decision by the trigger, behind settings for both', async () => {
    const { dir, paid, read } = scene()
    const { connectionString } = postgres.get()
    const [schema, queueSchema] = [freshSchema(), freshSchema()]
    const store = unsyncedPostgres({ connectionString, schema })
    await enqueueRun(store, { agent: 'payer', input: 'DE02', threadId: 't1' })
    const places = { HOLDPOINT_STORE: connectionString, HOLDPOINT_QUEUE: connectionString }
    const names = { HOLDPOINT_SCHEMA: schema, HOLDPOINT_QUEUE_SCHEMA: queueSchema, HOLDPOINT_LISTEN: connectionString }
    const running = start(dir, ['worker', '--agents', AGENTS], { PAID: paid, ...places, ...names })
    const id = await asked(store)
    await openDesk({ store }).decide({ id, decision: { type: 'approve' }, by: 'ann' })
    await until(() => read().includes('finished'))
    // The worker finds the run by looking, too, perhaps before it has made the trigger.
    await until(async () => {
      const { rows } = await admin
        .get()
        .query(`SELECT tgrelid::regclass::text AS name FROM pg_trigger WHERE tgname = 'holdpoint_ring'`)
      return rows.some(({ name }) => name === `${schema}.outbox`)
    })
    running.child.kill('SIGTERM')
    expect(await running.ended).toBe(0)
    await store.close()
    const wrong = holdpoint(dir, ['worker', '--agents', AGENTS, '--store', 'a.db', '--queue-schema', 'q'])
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('queue schema') })
  })

  it('names the file whose deps cannot be made', () => {
    const { dir } = scene()
    const body = `export { agents } from ${JSON.stringify(AGENTS)}\nexport const deps = async () => { throw new Error('no database') }\n`
    writeFileSync(join(dir, 'agents.mjs'), body)
    const ended = holdpoint(dir, ['worker', '--agents', 'agents.mjs', '--store', 'store.db'])
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toContain('agents.mjs: deps() failed: no database [agents_unreadable]')
  })

  it('and a gateway end by themselves at SIGTERM while their Postgres is away', async () => {
    const { dir, paid } = scene()
    const away = await startPostgres()
    onTestFinished(() => away.remove())
    const places = { HOLDPOINT_STORE: away.connectionString, HOLDPOINT_QUEUE: away.connectionString }
    const env = { PAID: paid, HOLDPOINT_JWT_SECRET: SECRET, HOLDPOINT_GRACE_SECONDS: '1', ...places }
    const working = start(dir, ['worker', '--agents', AGENTS, '--health-port', '0'], env)
    const serving = start(dir, ['serve', '--port', '0'], env)
    await Promise.all([urlOf(working, 'health'), urlOf(serving, 'url'), working.shows('takes threads')])
    await away.stop()
    await working.shows('"level":50')
    for (const { child } of [working, serving]) child.kill('SIGTERM')
    expect([await working.ended, await serving.ended]).toEqual([0, 0])
  })
})
