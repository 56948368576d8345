import { expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, definePolicy, memoryStore, run, tool } from '../../../src/index.ts'
import type { PreviewResult } from '../../../src/protocol/api/previews.ts'
import { scriptedModel } from '../../../src/testing.ts'
import { inboxOf } from '../../support/gateway/inbox-scene.ts'

const ann = { sub: 'ann', roles: ['reviewer'] }

function paying(preview: (args: { cents: number }) => unknown): Agent {
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ cents: z.number() }),
    preview: async (args) => (await preview(args)) as string,
    execute: () => 'paid',
  })
  const policy = definePolicy(({ args }) =>
    Number(args.cents) > 100
      ? { verdict: 'deny', reason: 'too much' }
      : { verdict: 'review', reviewers: ['ann', 'bob'] },
  )
  const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'pay', args: { cents: 1 } }] }, 'Done.'])
  return new Agent({ name: 'clerk', model, tools: [pay], policy })
}

async function scene(preview: (args: { cents: number }) => unknown, options = {}) {
  const store = memoryStore()
  const agent = paying(preview)
  const { interruptions } = await run(agent, 'go', { store, threadId: 't' })
  const [request] = interruptions
  const path = `/v1/requests/${request!.id}/preview`
  const of = (person = ann, given = {}) => {
    const caller = inboxOf(store, { agents: [agent], ...options, ...given }).as(person)
    return (args: object, version = request!.version) => caller.post<PreviewResult>(path, { version, args })
  }
  return { store, agent, request: request!, of }
}

it('an edited call is validated, judged by the policies and then previewed; nothing is stored', async () => {
  const { store, of } = await scene(({ cents }) => `pays ${cents}`)
  const before = (await store.read('t')).version
  const post = of()
  expect((await post({ cents: 7 })).body).toEqual({ digest: expect.any(String), preview: 'pays 7', problems: [] })
  expect((await post({ cents: 'x' })).body.problems).toEqual([expect.stringContaining('cents')])
  expect((await post({ cents: 500 })).body).toEqual({ problems: ['too much'] })
  expect((await store.read('t')).version).toBe(before)
})

it('a gateway without the agent says that it cannot preview, and still decides', async () => {
  const { of, agent, request, store } = await scene(() => 'x')
  const { status, body } = await of(ann, { agents: [] })({ cents: 2 })
  expect([status, body.code]).toEqual([409, 'preview_unavailable'])
  const other = new Agent({ name: 'somebody else', model: scriptedModel([]) })
  expect((await of(ann, { agents: [other] })({ cents: 2 })).body.code).toBe('preview_unavailable')
  const { as } = inboxOf(store, { agents: [agent] })
  expect((await as(ann).get<{ previews: boolean }>('/v1/me')).body.previews).toBe(true)
  const decision = { type: 'edit', args: { cents: 2 } }
  const { version, digest } = request
  const decided = await inboxOf(store).as(ann).post(`/v1/requests/${request.id}/decide`, { version, digest, decision })
  expect(decided.status).toBe(200)
})

it('is for those who may decide, at the version that they saw', async () => {
  const { of, request } = await scene(() => 'x')
  expect((await of({ sub: 'zoe', roles: ['operator'] })({ cents: 2 })).status).toBe(403)
  expect((await of({ sub: 'zoe', roles: ['reviewer'] })({ cents: 2 })).status).toBe(404)
  const stale = await of()({ cents: 2 }, request.version + 1)
  expect([stale.status, stale.body.code]).toEqual([409, 'request_changed'])
})

it('a preview that fails or hangs is unavailable, and what it says stays here', async () => {
  let asked = 0
  const { of } = await scene(() => {
    asked += 1
    // The first one is that of the request itself.
    if (asked > 1) throw new Error('secret cause')
    return 'x'
  })
  const failed = await of()({ cents: 2 })
  expect([failed.status, failed.body.code]).toEqual([409, 'preview_unavailable'])
  expect(failed.text).not.toContain('secret cause')
  let first = true
  const hanging = await scene(() => {
    const once = first
    first = false
    return once ? 'x' : new Promise(() => undefined)
  })
  const started = performance.now()
  const late = await hanging.of()({ cents: 2 })
  expect([late.status, late.body.code]).toEqual([409, 'preview_unavailable'])
  expect(performance.now() - started).toBeLessThan(20_000)
})

it('previews are rate limited for each caller', async () => {
  const { of } = await scene(() => 'x', { previewLimit: { burst: 2, perSecond: 1 } })
  const post = of()
  const statuses = []
  for (let i = 0; i < 3; i++) statuses.push((await post({ cents: 2 })).status)
  expect(statuses).toEqual([200, 200, 429])
})
