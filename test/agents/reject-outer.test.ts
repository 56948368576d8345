import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { HitlStaleAnswer, InMemoryChannel, memoryStore, openDesk, RunState, run, tool } from '../../src/index.ts'
import { DecisionInvalid, IdempotencyKeyReused } from '../../src/protocol/errors/errors.ts'
import { refused } from '../support/agents/failures.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only, toolMessage } from '../support/agents/results.ts'
import { calls } from '../support/agents/scripted-agent.ts'
import { nested } from './nested.ts'

const ANN = { kind: 'person', id: 'ann' } as const
const reject = { type: 'reject', message: 'Stop that.' } as const

/** An outer call that was approved, whose agent inside waits for a decision of its own. */
async function waiting() {
  const pay = gated('pay')
  const made = nested({ inner: [calls(['p', 'pay']), 'Paid.'], tools: [pay], asTool: { needsApproval: true } })
  const store = memoryStore()
  const first = await run(made.agent, 'go', { store, threadId: 't' })
  const outer = only(first)
  await first.state.approve(outer, { by: 'ann' })
  const second = await run(made.agent, first.state)
  return { ...made, pay, store, outer, inner: only(second), state: second.state, desk: openDesk({ store }) }
}

test.each<[string, (at: Awaited<ReturnType<typeof waiting>>) => Promise<unknown>]>([
  ['state', ({ state, outer }) => state.reject(outer.id, { message: reject.message, by: 'bob' })],
  ['batch', ({ state, outer }) => state.decide({ decisions: [{ ...reject, id: outer.id }], by: 'bob' })],
  [
    'desk',
    ({ desk, outer }) => desk.decide({ request: outer.id, decision: reject, by: { kind: 'person', id: 'bob' } }),
  ],
  [
    'thread',
    ({ agent, store, outer }) => agent.thread('t', { store }).respond({ id: outer.id, decision: reject, by: 'bob' }),
  ],
])(
  'an outer call can be rejected while its inside waits, which closes what is asked in there (%s)',
  async (_, door) => {
    const at = await waiting()
    const { agent, store, model, pay, desk, outer, inner } = at
    await door(at)
    await expect(desk.withdraw(outer.id, { kind: 'person', id: 'bob' })).rejects.toMatchObject({ code: 'stale_answer' })
    expect((await desk.get(inner.id)).status).toBe('superseded')
    expect(await desk.get(outer.id)).toMatchObject({ decision: { type: 'reject', by: { id: 'bob' } } })
    const done = await run(agent, await RunState.load(agent, { threadId: 't', store }))
    expect(done).toMatchObject({ status: 'completed', finalOutput: 'done' })
    expect(toolMessage(model.requests[1]?.messages)).toMatchObject({ content: 'Stop that.', isError: true })
    expect(pay.runs).toEqual([])
    await refused(
      desk.decide({ id: inner.id, decision: { type: 'approve' }, by: ANN }),
      HitlStaleAnswer,
      'stale_answer',
    )
  },
)

test.each([{ undoSeconds: 60 }, { always: true }])(
  'an outer call that runs is rejected at once or not at all (%j)',
  async (more) => {
    const { desk, outer, inner } = await waiting()
    await refused(
      desk.decide({ request: outer.id, decision: reject, by: ANN, ...more }),
      DecisionInvalid,
      'decision_invalid',
    )
    expect(await desk.get(outer.id)).toMatchObject({ decision: { type: 'approve' } })
    expect((await desk.get(inner.id)).status).toBe('open')
  },
)

test('a rejection of an outer call is known again by its key, and the key is not taken for another answer', async () => {
  const { desk, outer } = await waiting()
  const answer = { request: outer.id, decision: reject, by: ANN, idempotencyKey: 'k' }
  const [first] = await desk.decide(answer)
  expect(await desk.decide(answer)).toEqual([first])
  const other = { ...answer, decision: { ...reject, message: 'Another reason.' } }
  await refused(desk.decide(other), IdempotencyKeyReused, 'idempotency_key_reused')
})

test('a rejection of an outer call that its inside overtakes is refused: it rests on the thread as it was read', async () => {
  const { agent, store, state, outer, inner, pay } = await waiting()
  let late = true
  const desk = openDesk({
    store: {
      ...store,
      async append(append) {
        if (late) {
          late = false
          await state.approve(inner)
          await run(agent, state)
        }
        return store.append(append)
      },
    },
  })
  await refused(desk.decide({ request: outer.id, decision: reject, by: ANN }), HitlStaleAnswer, 'stale_answer')
  expect(pay.runs).toHaveLength(1)
})

test('once its inside is over, the outer call can no longer be rejected', async () => {
  const { agent, state, desk, outer, inner, pay } = await waiting()
  await state.approve(inner)
  expect((await run(agent, state)).status).toBe('completed')
  await refused(desk.decide({ request: outer.id, decision: reject, by: ANN }), HitlStaleAnswer, 'stale_answer')
  expect(pay.runs).toHaveLength(1)
})

describe('when an outer call is rejected while its inside is busy, nothing more starts in there', () => {
  /** A promise that a test settles. */
  function gate() {
    let open: () => void = () => undefined
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    return { open, opened }
  }

  /** An inner agent that is held up at one point, until `go`. */
  function busy(at: 'model' | 'preconditions') {
    const [reached, go] = [gate(), gate()]
    const ran: string[] = []
    const holdUp = async (here: string): Promise<void> => {
      if (here !== at) return
      reached.open()
      await go.opened
    }
    const pay = tool({
      name: 'pay',
      description: 'Pays',
      parameters: z.object({}),
      needsApproval: at === 'preconditions',
      preconditions: async () => {
        if (ran.includes('asked')) await holdUp('preconditions')
        return 'same'
      },
      execute: () => {
        ran.push('paid')
        return 'paid'
      },
    })
    const inner = async () => {
      await holdUp('model')
      return calls(['p', 'pay'])
    }
    const made = nested({ inner: [inner, 'Paid.'], tools: [pay], asTool: { needsApproval: true } })
    return { ...made, ran, reached: reached.opened, go: go.open }
  }

  test.each(['model', 'preconditions'] as const)('while its %s is waited for', async (at) => {
    const { agent, model, ran, reached, go } = busy(at)
    const store = memoryStore()
    const desk = openDesk({ store })
    const first = await run(agent, 'go', { store, threadId: 't' })
    const outer = only(first)
    await first.state.approve(outer, { by: 'ann' })
    let running = run(agent, first.state)
    if (at === 'preconditions') {
      const second = await running
      ran.push('asked')
      await second.state.approve(only(second), { by: 'ann' })
      running = run(agent, second.state)
    }
    await reached
    await desk.decide({ request: outer.id, decision: reject, by: { kind: 'person', id: 'bob' } })
    go()
    expect(await running).toMatchObject({ status: 'completed', finalOutput: 'done' })
    expect(ran).not.toContain('paid')
    expect(toolMessage(model.requests[1]?.messages)).toMatchObject({ content: 'Stop that.', isError: true })
  })

  test.each(['run', 'thread'] as const)('while a body runs that asks a question after that (%s)', async (how) => {
    const [reached, go] = [gate(), gate()]
    const asked: unknown[] = []
    const pay = tool({
      name: 'pay',
      description: 'Pays',
      parameters: z.object({}),
      resumable: true,
      execute: async (_, ctx) => {
        reached.open()
        await go.opened
        asked.push(await ctx.confirm('Really?').catch((error: unknown) => error))
        return 'paid'
      },
    })
    const { agent, model } = nested({
      inner: [calls(['p', 'pay']), 'Paid.'],
      tools: [pay],
      asTool: { needsApproval: true },
    })
    const store = memoryStore()
    const desk = openDesk({ store })
    const channel = new InMemoryChannel()
    const first = await run(agent, 'go', { store, threadId: 't' })
    const outer = only(first)
    await first.state.approve(outer, { by: 'ann' })
    const running = how === 'run' ? run(agent, first.state) : agent.thread('t', { store, channel }).resume()
    await reached.opened
    await desk.decide({ request: outer.id, decision: reject, by: { kind: 'person', id: 'bob' } })
    go.open()
    expect(await running).toMatchObject({ status: 'completed' })
    expect(asked).toEqual([expect.objectContaining({ code: 'hitl_aborted' })])
    expect((await desk.list({ status: 'open' })).requests).toEqual([])
    expect(channel.pending).toBeUndefined()
    expect(toolMessage(model.requests[1]?.messages)).toMatchObject({ content: 'Stop that.', isError: true })
  })
})
