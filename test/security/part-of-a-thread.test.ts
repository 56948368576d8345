import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, definePolicy, type Middleware, memoryStore, run, type Store, tool } from '../../src/index.ts'
import type { GrantItem } from '../../src/protocol/api/records.ts'
import { scriptedModel } from '../../src/testing.ts'
import { ask, inboxOf, seen } from '../support/gateway/inbox-scene.ts'
import { openEvents } from '../support/gateway/live-events.ts'
import { served, tokenOf } from '../support/gateway/served-gateway.ts'
import { until } from '../support/until.ts'

const rex = { sub: 'rex', roles: ['reviewer'] }
const fin = { sub: 'fin', roles: ['reviewer'], groups: ['finance'] }

/** One request of a thread is for finance, another for anybody. */
function mixed(store: Store): Promise<string[]> {
  return ask(store, 'mixed', { tool: 'pay', args: { to: 'secret-account' }, lists: [['group:finance']] }, { args: {} })
}

describe('who sees one request of a thread', () => {
  it('sees no grant that was given with another one', async () => {
    const store = memoryStore()
    const [hidden] = await mixed(store)
    const { as } = inboxOf(store)
    const { request } = await as(fin).show(hidden!)
    const always = { scope: 'thread', args: { to: 'secret-account' } }
    const body = { ...seen(request), decision: { type: 'approve' }, always }
    expect((await as(fin).post(`/v1/requests/${hidden}/decide`, body)).status).toBe(200)
    const grants = async (who: typeof rex) => (await as(who).get<{ grants: GrantItem[] }>('/v1/grants')).body.grants
    const [given] = await grants(fin)
    expect(given).toMatchObject({ tool: 'pay', request: hidden })
    expect(await grants(rex)).toEqual([])
    const absent = '01890000-0000-7000-8000-000000000001'
    const refused = await as(rex).post(`/v1/grants/${given!.id}/revoke`, {})
    expect([refused.status, refused.text]).toEqual([404, (await as(rex).post(`/v1/grants/${absent}/revoke`, {})).text])
  })

  it('hears of no grant that was given with another one', async () => {
    const store = memoryStore()
    const { url } = await served({ store })
    const [hidden, open] = await mixed(store)
    const { as } = inboxOf(store)
    const streams = await Promise.all(
      [rex, fin].map(async ({ sub, ...who }) => openEvents(url, await tokenOf(sub, who))),
    )
    await until(() => streams.every((stream) => stream.seen.lastId !== undefined))
    for (const id of [hidden!, open!]) {
      const { request } = await as(fin).show(id)
      const body = { ...seen(request), decision: { type: 'approve' }, always: true }
      expect((await as(fin).post(`/v1/requests/${id}/decide`, body)).status).toBe(200)
    }
    const told = streams.map(
      ({ seen: { events } }) =>
        () =>
          events.filter(({ type }) => type === 'grant').length,
    )
    await until(() => told[1]!() === 2 && told[0]!() > 0)
    expect(told.map((count) => count())).toEqual([1, 2])
  })
})

describe('an answer that is held for others', () => {
  const gate: Middleware = {
    name: 'gate',
    afterModel: ({ message }) => (message.toolCalls ? undefined : { hold: { description: 'Send it?' } }),
  }
  const look = tool({
    name: 'look',
    description: 'look',
    parameters: z.object({}),
    needsApproval: true,
    execute: () => 'seen',
  })
  const policy = definePolicy(() => ({ verdict: 'review', reviewers: ['una'] }), { name: 'for-una' })
  // Una has no role: she sees what names her. An answer that is held names nobody, so it is for reviewers.
  const una = { sub: 'una' }

  async function storyFor(agent: Agent): Promise<string> {
    const store = memoryStore()
    const paused = await run(agent, 'go', { store, threadId: 't' })
    const { as } = inboxOf(store)
    const id = paused.interruptions[0]!.id
    const { request } = await as(una).show(id)
    expect(
      (await as(una).post(`/v1/requests/${id}/decide`, { ...seen(request), decision: { type: 'approve' } })).status,
    ).toBe(200)
    const held = await run(agent, paused.state)
    expect(held.interruptions).toMatchObject([{ reason: 'final_answer' }])
    await held.state.approve(held.interruptions[0]!, { by: 'rex' })
    expect((await run(agent, held.state)).status).toBe('completed')
    expect((await as(una).get(`/v1/requests/${held.interruptions[0]!.id}`)).status).toBe(404)
    expect((await as(rex).get(`/v1/requests/${held.interruptions[0]!.id}`)).status).toBe(200)
    const { status, text } = await as(una).get('/v1/threads/t')
    expect(status).toBe(200)
    return text
  }

  it('is not told in the story', async () => {
    const model = scriptedModel([
      { text: 'Looking.', toolCalls: [{ id: 'c1', name: 'look', args: {} }] },
      'The secret answer.',
    ])
    const story = await storyFor(new Agent({ name: 'clerk', model, tools: [look], policy, middleware: [gate] }))
    expect(story).toContain('Looking.')
    expect(story).not.toContain('The secret answer.')
  })

  it('is not told as the result of the call that it is nested in', async () => {
    const inner = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'look', args: {} }] }, 'The secret answer.'])
    const writer = new Agent({ name: 'writer', model: inner, tools: [look], policy, middleware: [gate] })
    const model = scriptedModel([{ toolCalls: [{ id: 'w', name: 'writer', args: { input: 'write' } }] }, 'Published.'])
    const story = await storyFor(new Agent({ name: 'clerk', model, tools: [writer.asTool({})] }))
    expect(story).not.toContain('The secret answer.')
  })
})
