import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { Agent, definePolicy, memoryStore, openDesk, run, type Store, tool } from '../../src/index.ts'
import type { PreviewResult } from '../../src/protocol/api/previews.ts'
import { inProcessQueue } from '../../src/queue/in-process/queue.ts'
import { scriptedModel } from '../../src/testing.ts'
import { createWorker } from '../../src/worker/create-worker.ts'
import { askedPreviews, askWorkers } from '../../src/worker/shared/preview-records.ts'
import { inboxOf } from '../support/gateway/inbox-scene.ts'
import { freshSchema, usePostgres } from '../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../support/stores/unsynced-postgres.ts'
import { until } from '../support/until.ts'

const ann = { sub: 'ann', roles: ['operator'] }

interface Payer {
  readonly agent: Agent
  /** The arguments of its previews. */
  readonly previewed: unknown[]
}

function payer(version?: string, preview: (cents: number) => unknown = (cents) => `pays ${cents}`): Payer {
  const previewed: unknown[] = []
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ cents: z.number() }),
    preview: async ({ cents }) => {
      previewed.push(cents)
      return (await preview(cents)) as string
    },
    execute: () => {
      throw new Error('a body ran')
    },
  })
  const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'pay', args: { cents: 1 } }] }])
  const policy = definePolicy(() => ({ verdict: 'review' }))
  const named = version === undefined ? {} : { version }
  return { agent: new Agent({ id: 'payer', name: 'Payer', model, tools: [pay], policy, ...named }), previewed }
}

async function working(store: Store, { agent }: Payer, options: { previews?: boolean } = {}): Promise<unknown[]> {
  const errors: unknown[] = []
  const worker = createWorker({
    agents: [agent],
    store,
    queue: inProcessQueue(),
    sweepMs: 20,
    onEvent: (event) => event.type === 'error' && errors.push(event.error),
    ...options,
  })
  await worker.start()
  onTestFinished(() => worker.stop({ graceMs: 0 }))
  return errors
}

/** A request of a run in a tenant, and how somebody previews an edit of it at a gateway without agents. */
async function asking(store: Store, { agent }: Payer, tenant = 'default') {
  const { interruptions } = await run(agent, 'go', { store: store.tenant(tenant), threadId: 't' })
  const id = interruptions[0]?.id ?? ''
  const preview = (args: object, person: object = ann) =>
    inboxOf(store)
      .as({ ...ann, tenant, ...person })
      .post<PreviewResult>(`/v1/requests/${id}/preview`, { version: 1, args })
  return { id, preview }
}

it('one of several workers previews an edit, once, in the tenant of the request', async () => {
  const store = memoryStore()
  const workers = [payer(), payer()]
  for (const each of workers) await working(store, each)
  const { preview } = await asking(store, payer(), 'acme')
  const { status, body } = await preview({ cents: 7 })
  expect([status, body]).toEqual([200, { digest: expect.any(String), preview: 'pays 7', problems: [] }])
  expect(workers.flatMap(({ previewed }) => previewed)).toEqual([7])
})

it('nobody of another tenant, and nobody who may not decide, reaches a worker', async () => {
  const store = memoryStore()
  const serving = payer()
  await working(store, serving)
  const { preview } = await asking(store, payer(), 'acme')
  expect((await preview({ cents: 7 }, { tenant: 'other' })).status).toBe(404)
  expect((await preview({ cents: 7 }, { roles: ['auditor'] })).status).toBe(403)
  expect(serving.previewed).toEqual([])
})

it('only a worker with the version of the run is asked', async () => {
  const store = memoryStore()
  const other = payer('1')
  await working(store, other)
  const { preview } = await asking(store, payer('2'))
  const { body } = await preview({ cents: 7 })
  expect([body.code, body.detail]).toEqual(['preview_unavailable', expect.stringContaining('nor a worker')])
  await working(store, payer('2'))
  expect((await preview({ cents: 7 })).body.preview).toBe('pays 7')
  expect(other.previewed).toEqual([])
})

it('a worker that does not answer is waited for no longer than five seconds, and nothing is left', async () => {
  const store = memoryStore()
  await working(store, payer(), { previews: false })
  const { preview } = await asking(store, payer())
  const began = performance.now()
  const { body } = await preview({ cents: 7 })
  expect([body.code, body.detail]).toEqual(['preview_unavailable', expect.stringContaining('in time')])
  expect(performance.now() - began).toBeGreaterThanOrEqual(4900)
  for (const kind of ['preview-asked', 'preview-edit', 'preview-said'])
    expect((await store.findRecords({ kind })).records).toEqual([])
})

it('an edit of a request that was decided meanwhile is refused as changed', async () => {
  const store = memoryStore()
  let decide = async (): Promise<unknown> => undefined
  const serving = payer(undefined, async (cents) => {
    await decide()
    throw new Error(`the secret cause of ${cents}`)
  })
  const errors = await working(store, serving)
  const { id, preview } = await asking(store, payer())
  const failed = await preview({ cents: 7 })
  expect([failed.body.code, failed.body.detail]).toEqual(['preview_unavailable', expect.stringContaining('failed')])
  expect(failed.text).not.toContain('secret')
  expect(errors.map(String)).toEqual([expect.stringContaining('secret cause of 7')])
  decide = () => openDesk({ store }).decide({ id, decision: { type: 'reject' }, by: 'bob' })
  expect((await preview({ cents: 8 })).body.code).toBe('already_decided')
})

it('a question that is not what gateways write is dropped, and the next one is answered', async () => {
  const store = memoryStore()
  const errors = await working(store, payer())
  const { id, preview } = await asking(store, payer())
  const odd = { request: id, args: { cents: 1 }, by: { kind: 'nobody', id: '' } } as never
  expect(await askWorkers(store, { tenantId: 'default', route: 'payer' }, odd)).toBeUndefined()
  expect(errors).toHaveLength(1)
  expect((await preview({ cents: 9 })).body.preview).toBe('pays 9')
})

it('a question behind more than a page of others is found: nobody starves a route', async () => {
  const store = memoryStore()
  const value = JSON.stringify({ tenantId: 'default', route: 'nobody has it' })
  for (let n = 0; n < 700; n++)
    await store.writeRecords([{ op: 'put', kind: 'preview-asked', id: `0-${String(n).padStart(4, '0')}`, value }])
  await store.writeRecords([
    { op: 'put', kind: 'preview-asked', id: '1', value: JSON.stringify({ tenantId: 'acme', route: 'payer' }) },
  ])
  expect((await askedPreviews(store)).at(-1)).toMatchObject({ tenantId: 'acme', route: 'payer' })
})

it('a tenant whose previews never end, however many, leaves room for another tenant', async () => {
  const store = memoryStore()
  await working(
    store,
    payer(undefined, (cents) => (cents === 666 ? new Promise(() => undefined) : `pays ${cents}`)),
  )
  const greedy = await asking(store, payer(), 'greedy')
  const modest = await asking(store, payer(), 'modest')
  const edit = { request: greedy.id, args: { cents: 666 }, by: { kind: 'person', id: 'ann' } }
  for (let n = 0; n < 400; n++) {
    const own = { op: 'put', id: `0-${String(n).padStart(4, '0')}` } as const
    await store.tenant('greedy').writeRecords([{ ...own, kind: 'preview-edit', value: JSON.stringify(edit) }])
    const value = JSON.stringify({ tenantId: 'greedy', route: 'payer' })
    await store.writeRecords([{ ...own, kind: 'preview-asked', value }])
  }
  const taken = async () => 400 - (await store.findRecords({ kind: 'preview-asked', limit: 500 })).records.length
  await until(async () => (await taken()) >= 8)
  let shown = await modest.preview({ cents: 7 })
  // A busy machine may take longer than a gateway waits. Without turns it would take minutes.
  for (let tries = 1; shown.status !== 200 && tries < 5; tries++) shown = await modest.preview({ cents: 7 })
  expect(shown.body.preview).toBe('pays 7')
})

const server = usePostgres()

it('previews of two tenants on Postgres: hostile arguments come as they were sent, and nothing is left', async () => {
  const store = unsyncedPostgres({ connectionString: server.get().connectionString, schema: freshSchema() })
  // The worker is stopped before: what was registered last is done first.
  onTestFinished(() => store.close())
  const serving = payer(undefined, (cents) => `pays ${cents}`)
  await working(store, serving)
  const tenants = { acme: await asking(store, payer(), 'acme'), other: await asking(store, payer(), 'other') }
  const preview = async (tenant: keyof typeof tenants, args: object) => {
    // A busy machine may take longer than a gateway waits.
    for (let tries = 1; ; tries++) {
      const { body } = await tenants[tenant].preview(args)
      if (body.code === undefined || tries === 8) return body
    }
  }
  const hostile = [
    { cents: 'a\u0000b' },
    { cents: '\ud800' },
    { cents: "'; DROP TABLE records; --" },
    JSON.parse('{"cents":1,"__proto__":{"cents":2}}') as object,
  ]
  const shown = await Promise.all([
    preview('acme', { cents: 7 }),
    preview('other', { cents: 8 }),
    ...hostile.map((args) => tenants.acme.preview(args).then(({ status, text }) => ({ status, text }))),
  ])
  expect(shown.slice(0, 2)).toMatchObject([{ preview: 'pays 7' }, { preview: 'pays 8' }])
  for (const each of shown.slice(2)) expect((each as { status: number }).status, JSON.stringify(each)).toBeLessThan(500)
  for (const tenant of ['default', 'acme', 'other'])
    for (const kind of ['preview-asked', 'preview-edit', 'preview-said'])
      expect((await store.tenant(tenant).findRecords({ kind })).records, `${kind} of ${tenant}`).toEqual([])
})
