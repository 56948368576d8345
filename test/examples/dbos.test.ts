import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.js'
import { TSC } from '../../scripts/lib/tsc.js'
import { type HitlRequest, openDesk, type Store } from '../../src/index.ts'
import { postgresStore } from '../../src/postgres.ts'
import { readLines } from '../crash/support/children.ts'
import { useAdmin, usePostgres } from '../support/servers/use-postgres.ts'
import { soak } from '../support/soak.ts'
import { until } from '../support/until.ts'

/** Inside of the package, so that `import 'holdpoint'` means dist/, as package.json says. */
const built = join(ROOT, '.build', `dbos-${process.pid}`)
const server = usePostgres()
const admin = useAdmin(server)
const ANN = { kind: 'person', id: 'ann' } as const

/** DBOS sends a statement on each new connection without waiting for it, and pg says so. */
const OF_DBOS = /^\(node:\d+\) DeprecationWarning: Calling client\.query\(\) .*\n\(Use `node --trace-deprecation .*\n/gm

interface Line {
  first?: number
  paid?: number
  sent?: string
  key?: string
  result?: unknown
}

beforeAll(() => {
  mkdirSync(built, { recursive: true })
  const config = {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions: { rootDir: join(ROOT, 'examples/dbos'), outDir: 'out' },
    include: [join(ROOT, 'examples/dbos')],
  }
  writeFileSync(join(built, 'tsconfig.json'), JSON.stringify(config))
  const done = spawnSync(process.execPath, [...TSC, '-p', built, '--pretty', 'false'], { encoding: 'utf8' })
  expect(`${done.stdout}${done.stderr}`).toBe('')
})
afterAll(() => rmSync(built, { recursive: true, force: true }))

it('the example pays what was approved, and not what was rejected', () => {
  const env = { ...process.env, NO_COLOR: '1', DATABASE_URL: server.get().connectionString }
  const main = join(built, 'out/main.js')
  const done = spawnSync(process.execPath, [main], { encoding: 'utf8', timeout: 120_000, env })
  expect([done.status, done.stdout.trimEnd().split('\n')]).toEqual([
    0,
    ['bank: pays 1999 cents, key of 64 characters', 'order-42: 1999 cents paid back', 'order-43: not paid: Too much.'],
  ])
})

describe('a workflow of DBOS that waits for a person', () => {
  let workflows = 0
  let workflow = ''
  let folder = ''
  let store: Store
  const running = new Set<ReturnType<typeof start>>()

  beforeEach(() => {
    workflow = `order-${++workflows}`
    folder = mkdtempSync(join(tmpdir(), 'holdpoint-dbos-'))
    store = postgresStore({ connectionString: server.get().connectionString, onWarning: () => undefined })
  })
  afterEach(async () => {
    for (const each of running) await each.kill()
    running.clear()
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const lines = () => readLines<Line>(join(folder, 'log'))
  const paid = () => lines().flatMap(({ paid }) => paid ?? [])
  const results = () => lines().flatMap(({ result }) => result ?? [])

  /** Starts a process of the application. */
  function start(does: 'work' | 'deliver', more: { killed?: string; request?: string } = {}) {
    const work = {
      ...{ does, ...more, workflow, log: join(folder, 'log'), url: server.get().connectionString },
      example: pathToFileURL(join(built, 'out/approval.js')).href,
    }
    const program = join(ROOT, 'test/examples/dbos-process.js')
    const child = spawn(process.execPath, [program, JSON.stringify(work)], { stdio: ['ignore', 'ignore', 'pipe'] })
    let stderr = ''
    child.stderr.on('data', (data: Buffer) => {
      stderr += data
    })
    const closed = once(child, 'close').then(([code, signal]) => ({
      code,
      signal,
      stderr: stderr.replace(OF_DBOS, ''),
    }))
    const one = {
      closed,
      async kill() {
        child.kill('SIGKILL')
        await closed
      },
    }
    running.add(one)
    return one
  }

  /** Waits until DBOS has stored that the workflow judged its call, so that it now waits for a message. */
  async function untilWaiting(times = 1): Promise<void> {
    await until(async () => {
      const text = `select count(*)::int as n from dbos.operation_outputs where workflow_uuid = $1 and function_name = 'judge'`
      const found = await admin
        .get()
        .query<{ n: number }>(text, [workflow])
        .catch((error: { code?: string }) => {
          // DBOS creates its tables at its first launch.
          if (error.code === '42P01') return { rows: [{ n: 0 }] }
          throw error
        })
      return (found.rows[0]?.n ?? 0) >= times
    })
  }

  async function openRequest(reason?: string): Promise<HitlRequest> {
    let request: HitlRequest | undefined
    await until(async () => {
      const { requests } = await openDesk({ store }).list({ status: 'open' })
      request = requests.find((each) => reason === undefined || each.reason === reason)
      return request !== undefined
    })
    return request!
  }

  /** Approves what is open. Resolves to the request's id. */
  async function approveOpen(): Promise<string> {
    const request = await openRequest()
    await openDesk({ store }).decide({ request, decision: { type: 'approve' }, by: ANN })
    return request.id
  }

  it('killed while it waits: it is decided meanwhile, and another process runs the call once', async () => {
    const first = start('work')
    await untilWaiting()
    await first.kill()
    const request = await approveOpen()
    expect(await start('deliver', { request }).closed).toEqual({ code: 0, signal: null, stderr: '' })
    expect(paid()).toEqual([])
    expect(await start('work').closed).toEqual({ code: 0, signal: null, stderr: '' })
    expect(results()).toEqual([{ ran: true, result: '1999 cents paid back' }])
    // Steps that DBOS has stored are not repeated, and the call was judged once.
    expect([paid(), lines().filter(({ first: ran }) => ran).length]).toEqual([[1999], 1])
  })

  it('killed when the call had ended, before DBOS knew: the stored result is its result', async () => {
    const first = start('work', { killed: 'end' })
    await untilWaiting()
    await start('deliver', { request: await approveOpen() }).closed
    expect(await first.closed).toMatchObject({ signal: 'SIGKILL' })
    expect(paid()).toEqual([1999])
    expect(await start('work').closed).toEqual({ code: 0, signal: null, stderr: '' })
    expect(results()).toEqual([{ ran: true, result: '1999 cents paid back' }])
    expect(paid()).toEqual([1999])
  })

  it('killed in the call: a person is asked what happened, and the call does not run again by itself', async () => {
    const first = start('work', { killed: 'effect' })
    await untilWaiting()
    await start('deliver', { request: await approveOpen() }).closed
    expect(await first.closed).toMatchObject({ signal: 'SIGKILL' })
    const second = start('work')
    const request = await openRequest('unknown_outcome')
    const decision = { type: 'respond', message: 'The bank says that it was paid.' } as const
    await openDesk({ store }).decide({ request, decision, by: ANN })
    await start('deliver', { request: request.id }).closed
    expect(await second.closed).toEqual({ code: 0, signal: null, stderr: '' })
    expect(paid()).toEqual([1999])
    expect(results()).toEqual([{ ran: false, message: 'The bank says that it was paid.' }])
  })

  it.each(soak.sample(['before send', 'after send'], { part: 1, of: 2 }))(
    'is woken once by a decision whose delivery was killed %s',
    async (killed) => {
      const working = start('work')
      await untilWaiting()
      const request = await approveOpen()
      expect(await start('deliver', { request, killed }).closed).toMatchObject({ signal: 'SIGKILL' })
      if (killed === 'before send') expect(lines().filter(({ sent }) => sent)).toEqual([])
      await start('deliver', { request }).closed
      expect(await working.closed).toEqual({ code: 0, signal: null, stderr: '' })
      expect(paid()).toEqual([1999])
      const keys = lines().flatMap(({ key }) => key ?? [])
      expect([keys.length, new Set(keys).size]).toEqual([killed === 'before send' ? 1 : 2, 1])
      expect(results()).toEqual([{ ran: true, result: '1999 cents paid back' }])
    },
  )
})
