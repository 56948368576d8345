import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openDesk } from '../../src/desk/open-desk.ts'
import type { Model } from '../../src/ports/model.ts'
import { Agent } from '../../src/runtime/agent/agent.ts'
import { tool } from '../../src/runtime/definition/tool/tool.ts'
import { run } from '../../src/runtime/run/run.ts'
import { RunState } from '../../src/runtime/run/run-state.ts'
import { latch } from '../support/latch.ts'
import { entriesOf, ofType } from '../support/stores/entries.ts'
import { racePlaces } from './places.ts'

const places = racePlaces()

const threadId = 'contested'
const ann = { kind: 'person', id: 'ann' } as const

/** A head who sends two scouts off at once. Each wants to visit (gated) and looks (free), then says so. `slow` holds their first thoughts up. */
function office(slow?: { asks: number; until: Promise<void> }) {
  const ran: { tool: string; key: string }[] = []
  let asks = 0
  const act = (name: string, needsApproval: boolean) =>
    tool({
      name,
      description: name,
      parameters: z.object({}),
      needsApproval,
      execute: (_, ctx) => {
        ran.push({ tool: name, key: ctx.idempotencyKey })
        return `${name} done`
      },
    })
  const scout = (name: string) => {
    const model: Model = {
      async respond({ messages }) {
        if (messages.some(({ role }) => role === 'tool')) return { content: `${name} is back` }
        asks += 1
        if (slow && asks <= slow.asks) await slow.until
        return {
          toolCalls: [
            { id: 'visit', name: `visit_${name}`, args: {} },
            { id: 'look', name: `look_${name}`, args: {} },
          ],
        }
      },
    }
    return new Agent({ name, model, tools: [act(`visit_${name}`, true), act(`look_${name}`, false)] })
  }
  const model: Model = {
    async respond({ messages }) {
      const results = messages.filter(({ role }) => role === 'tool').length
      if (results > 0) return { content: `done after ${results} results` }
      return { toolCalls: ['north', 'south'].map((name) => ({ id: name, name, args: { input: 'go' } })) }
    },
  }
  const agent = new Agent({ name: 'Head', model, tools: [scout('north').asTool(), scout('south').asTool()] })
  return { agent, ran, asks: () => asks }
}

const EACH_ONCE = ['look_north', 'look_south', 'visit_north', 'visit_south']

describe.each(places)('G2: nested runs that are resumed at the same time, %s', (_, place) => {
  it('run each call once and ask each model once a turn', async () => {
    const open = place()
    const { agent, ran } = office()
    const { state, interruptions } = await run(agent, 'go', { threadId, store: open() })
    for (const request of interruptions) await state.approve(request, { by: ann })
    const states = await Promise.all(Array.from({ length: 6 }, () => RunState.load(agent, { threadId, store: open() })))
    const ends = await Promise.allSettled([state, ...states].map((each) => run(agent, each)))
    for (const end of ends) {
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ name: 'ThreadBusy' })
      else expect(end.value).toMatchObject({ status: 'completed', finalOutput: 'done after 2 results' })
    }
    expect(ends.some(({ status }) => status === 'fulfilled')).toBe(true)
    expect(ran.map((each) => each.tool).sort()).toEqual(EACH_ONCE)
    const turns = ofType(await entriesOf(open(), threadId), 'model.answered').map(
      ({ frame, turn }) => `${frame} ${turn}`,
    )
    expect([turns.length, new Set(turns).size]).toEqual([6, 6])
  })

  it('are each decided once, by the first answer, through any door', async () => {
    const open = place()
    const { agent, ran } = office()
    const { interruptions } = await run(agent, 'go', { threadId, store: open() })
    const people = Array.from({ length: 16 }, (_, index) => ({
      id: `person-${index}`,
      request: interruptions[index % 2]!,
    }))
    const settled = await Promise.allSettled(
      people.map(async ({ id, request }, index) => {
        const by = { kind: 'person', id } as const
        if (index % 4 < 2) return openDesk({ store: open() }).decide({ request, decision: { type: 'approve' }, by })
        const state = await RunState.load(agent, { threadId, store: open() })
        return state.reject(request, { by, message: id })
      }),
    )
    expect(settled.filter(({ status }) => status === 'fulfilled').length).toBe(2)
    const decided = ofType(await entriesOf(open(), threadId), 'request.decided')
    expect(decided.map(({ id }) => id).sort()).toEqual(interruptions.map(({ id }) => id).sort())
    for (const [index, end] of settled.entries()) {
      if (end.status === 'fulfilled') continue
      const winner = decided.find(({ id }) => id === people[index]!.request.id)!.by
      expect(end.reason).toMatchObject({ name: 'HitlStaleAnswer', by: winner })
    }
    const done = await run(agent, await RunState.load(agent, { threadId, store: open() }))
    expect(done.finalOutput).toBe('done after 2 results')
    const approved = decided.filter(({ decision }) => decision.type === 'approve').length
    expect(ran.filter((each) => each.tool.startsWith('visit')).length).toBe(approved)
  })
})

describe.each(places)('5.3: a worker whose lease goes to another while its nested models think, %s', (_, place) => {
  it('writes and starts nothing any more, and the other one asks each model itself', async () => {
    let aheadMs = 0
    const open = place({ now: () => Date.now() + aheadMs })
    const slow = latch()
    const { agent, ran, asks } = office({ asks: 2, until: slow.passed })
    const late = run(agent, 'go', { threadId, store: open() })
    while (asks() < 2) await new Promise((resolve) => setImmediate(resolve))
    aheadMs = 31_000
    const other = await run(agent, await RunState.load(agent, { threadId, store: open() }))
    expect(other.interruptions.map((each) => each.toolName)).toEqual(['visit_north', 'visit_south'])
    slow.open()
    expect(['incomplete', 'interrupted']).toContain((await late).status)
    expect(ran.map((each) => each.tool).sort()).toEqual(['look_north', 'look_south'])
    expect(ofType(await entriesOf(open(), threadId), 'request.opened').length).toBe(2)
    for (const request of other.interruptions) await other.state.approve(request, { by: ann })
    expect((await run(agent, other.state)).finalOutput).toBe('done after 2 results')
    expect(ran.map((each) => each.tool).sort()).toEqual(EACH_ONCE)
    const turns = ofType(await entriesOf(open(), threadId), 'model.answered').map(
      ({ frame, turn }) => `${frame} ${turn}`,
    )
    expect([turns.length, new Set(turns).size]).toEqual([6, 6])
  })
})
