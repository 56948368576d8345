import { describe, expect, it } from 'vitest'
import { openDesk } from '../../src/desk/open-desk.ts'
import type { HitlRequest } from '../../src/protocol/request.ts'
import { run } from '../../src/runtime/run/run.ts'
import { RunState } from '../../src/runtime/run/run-state.ts'
import { entriesOf, ofType } from '../support/stores/entries.ts'
import { cashier } from './cashier.ts'
import { type OpenStore, racePlaces } from './places.ts'

const places = racePlaces()

const threadId = 'contested'
const PEOPLE = Array.from({ length: 50 }, (_, index) => `person-${index}`)

describe.each(places)('G4: people who decide one request at the same time, %s', (_, place) => {
  it('get one winner, and all others learn who decided what and when', async () => {
    const { open, agent, request } = await paused(place())
    const attempts = PEOPLE.map(async (by, index) => {
      if (index % 2 === 0) {
        const decision = index % 4 === 0 ? { type: 'approve' } : { type: 'reject', message: `no, says ${by}` }
        const desk = openDesk({ store: open() })
        const [decided] = await desk.decide({ request: request.id, decision, by: { kind: 'person', id: by } })
        return decided!
      }
      const state = await RunState.load(agent, { threadId, store: open() })
      if (index % 4 === 1) return state.respond(request, { by, message: `done, says ${by}` })
      return state.edit(request, { by, args: { amount: index } })
    })
    const settled = await Promise.allSettled(attempts)
    const won = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value.decision!] : []))
    expect(won.length).toBe(1)
    const { by, at, effectiveAt: _effectiveAt, ...decision } = won[0]!
    const lost = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    expect(lost.length).toBe(PEOPLE.length - 1)
    for (const error of lost) {
      expect(error).toMatchObject({ name: 'HitlStaleAnswer', code: 'stale_answer', requestId: request.id })
      expect(error).toMatchObject({ by, at, decision })
    }
    const decided = ofType(await entriesOf(open(), threadId), 'request.decided')
    expect(decided).toMatchObject([{ id: request.id, by, decision }])
  })

  it('get one winner when they share one state', async () => {
    const { open, agent, request } = await paused(place())
    const state = await RunState.load(agent, { threadId, store: open() })
    const settled = await Promise.allSettled(PEOPLE.map((by) => state.reject(request, { by, message: by })))
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', ...PEOPLE.slice(1).map(() => 'rejected')])
    expect(ofType(await entriesOf(open(), threadId), 'request.decided').map(({ by }) => by.id)).toEqual([PEOPLE[0]])
  })

  it('may click as often as they like: the same answer by the same person is accepted as done', async () => {
    const { open, agent, request } = await paused(place())
    const clicks = await Promise.all(
      PEOPLE.map(async (_, index) => {
        const by = { kind: 'person', id: 'ann' } as const
        if (index % 2 === 0) return openDesk({ store: open() }).decide({ request, decision: { type: 'approve' }, by })
        const state = await RunState.load(agent, { threadId, store: open() })
        return [await state.approve(request, { by })]
      }),
    )
    const decisions = clicks.map(([decided]) => decided!.decision)
    for (const decision of decisions) expect(decision).toEqual(decisions[0])
    const entries = await entriesOf(open(), threadId)
    expect([ofType(entries, 'request.decided').length, ofType(entries, 'call.released').length]).toEqual([1, 2])
    await expect(
      openDesk({ store: open() }).decide({
        request: request.id,
        decision: { type: 'reject' },
        by: { kind: 'person', id: 'ann' },
      }),
    ).rejects.toMatchObject({ name: 'HitlStaleAnswer', by: { id: 'ann' }, decision: { type: 'approve' } })
  })
})

async function paused(
  open: OpenStore,
): Promise<ReturnType<typeof cashier> & { open: OpenStore; request: HitlRequest }> {
  const made = cashier()
  const result = await run(made.agent, 'Refund it.', { threadId, store: open() })
  const [request] = result.interruptions
  expect(result).toMatchObject({ status: 'interrupted', interruptions: [{ toolName: 'refund' }] })
  return { ...made, open, request: request! }
}
