import { expect, test, vi } from 'vitest'
import { type HitlRequest, InMemoryChannel, memoryStore, openDesk, run } from '../../src/index.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

const ann = { kind: 'person', id: 'ann' } as const
const beside = { comment: 'see ticket 7', always: true, undoSeconds: 60 } as const
const approve = { type: 'approve' } as const

/** A paused run, and every door of this process through which its one request can be decided. */
async function paused() {
  const store = memoryStore()
  const { agent } = scripted([calls(['a', 'pay'])], [gated('pay')])
  const result = await run(agent, 'go', { store, threadId: 't' })
  const desk = openDesk({ store })
  const thread = agent.thread('t', { store })
  return { store, desk, thread, state: result.state, request: only(result) }
}

type Paused = Awaited<ReturnType<typeof paused>>

const doors: Record<string, (at: Paused, by: string | typeof ann) => Promise<unknown>> = {
  'state.approve': ({ state, request }, by) => state.approve(request, { by, ...beside }),
  'state.decide': ({ state }, by) => state.decide({ decisions: [approve], by, ...beside }),
  'state.answer': ({ state, request }, by) => state.answer(request, approve, { by, ...beside }),
  'thread.respond': async ({ thread, request, desk }, by) => {
    // It waits for the end of the undo window, unless it is told to stop.
    const stop = new AbortController()
    const signal = stop.signal
    const responded = thread.respond({ id: request.id, decision: approve, by, signal, ...beside })
    await vi.waitUntil(async () => (await desk.get(request.id)).status === 'decided')
    stop.abort()
    await responded
  },
  'desk.decide': ({ desk, request }, by) => desk.decide({ request, decision: approve, by, ...beside }),
  'desk.answer': ({ desk, request }, by) => desk.answer(request, approve, { by, ...beside }),
}

test.each(Object.keys(doors))(
  '%s takes by as a string or an actor, with comment, always and undoSeconds',
  async (name) => {
    for (const by of ['ann', ann]) {
      const at = await paused()
      await doors[name]?.(at, by)
      const decided = await at.desk.get(at.request.id)
      expect(decided.decision).toMatchObject({ type: 'approve', by: ann })
      expect(undoMs(decided)).toBe(60_000)
      expect((await at.desk.grants()).grants).toMatchObject([{ by: ann }])
      const { entries } = await at.store.read('t')
      expect(entries.some(({ body }) => JSON.parse(body).comment === beside.comment)).toBe(true)
    }
  },
)

function undoMs({ decision }: HitlRequest): number {
  return Date.parse(decision?.effectiveAt ?? '') - Date.parse(decision?.at ?? '')
}

test('cancelling, withdrawing, revoking and aborting take by as a string or an actor', async () => {
  for (const by of ['ann', ann]) {
    const { desk, state, request, thread } = await paused()
    await state.approve(request, { by, ...beside })
    await desk.withdraw(request.id, by)
    expect((await desk.cancel(request.id, { by, reason: 'gone' })).status).toBe('cancelled')
    expect((await thread.abortPending({ by })).status).toBe('aborted')

    const other = await paused()
    await other.state.approve(other.request, { by, always: true })
    const [grant] = (await other.desk.grants()).grants
    expect((await other.desk.revoke(grant?.id ?? '', { by })).revoked?.by).toEqual(ann)
  }
})

test('a channel takes by as a string or an actor', async () => {
  for (const by of ['ann', ann]) {
    const store = memoryStore()
    const channel = new InMemoryChannel()
    const { agent } = scripted([calls(['a', 'pay']), 'Done.'], [gated('pay')])
    channel.subscribe(({ questionId }) => channel.answer(questionId, approve, { by }))
    expect((await agent.thread('t', { store, channel }).prompt('go')).status).toBe('completed')
    expect((await openDesk({ store }).list()).requests[0]?.decision?.by).toMatchObject(ann)
  }
})

test('nobody can tell the desk to take an answer unchecked', async () => {
  const { desk, request } = await paused()
  const answer = { request, decision: approve, by: ann, unchecked: true } as never
  await expect(desk.decide(answer)).rejects.toMatchObject({ code: 'input_invalid' })
})
