import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import type { JsonObject, Store, Thread } from '../../src/index.ts'
import {
  HitlStaleAnswer,
  memoryStore,
  openDesk,
  RequestChanged,
  RunState,
  run,
  toActionRequests,
  tool,
} from '../../src/index.ts'
import {
  AnswerInvalid,
  DecisionInvalid,
  DecisionUnbound,
  IdempotencyKeyReused,
  QuestionAmbiguous,
} from '../../src/protocol/errors/errors.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { refused } from '../support/agents/failures.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'
import { seeded } from '../support/random.ts'
import { inFolder } from '../support/stores/places.ts'

const ANN = { kind: 'person', id: 'ann' } as const
const approve = { type: 'approve' } as const

/** An agent that pays 10, and then wants to pay 999999. The same call id both times unless told. */
function payer(second = 'b') {
  const pay = gated('pay', { parameters: z.object({ n: z.number() }) })
  const script = [calls(['a', 'pay', { n: 10 }]), calls([second, 'pay', { n: 999_999 }]), 'Done.']
  return { pay, ...scripted(script, [pay]) }
}

test('a keyed answer through a state or thread reads only what was added since', async () => {
  const store = memoryStore()
  const read = vi.spyOn(store, 'read')
  const { agent } = payer()
  const paused = await run(agent, 'go', { store, threadId: 't' })
  const { version } = await store.read('t')
  read.mockClear()
  await paused.state.decide({ id: only(paused).id, decision: approve, by: ANN, idempotencyKey: 'k' })
  expect(read.mock.calls.map(([, range]) => range?.after)).toEqual([version, version])
})

const paid = (pay: { runs: { args: unknown }[] }) => pay.runs.map(({ args }) => (args as { n: number }).n)

describe('a decision answers what its author saw', () => {
  test('the same body twice on states that are loaded for it does not approve the next call', async () => {
    const { pay, agent } = payer()
    const store = memoryStore()
    await run(agent, 'go', { store, threadId: 't' })
    /** What an application does with a request of its own clients. */
    const handle = async (body: { decisions: JsonObject[]; by: string; unbound?: boolean }) => {
      const state = await RunState.load(agent, { threadId: 't', store })
      await state.decide(body)
      return run(agent, state)
    }
    const bare = { decisions: [{ type: 'approve' }], by: 'ann' }
    const error = await refused(handle(bare), DecisionUnbound, 'decision_unbound')
    expect(error.message).toMatch(/id, digest.*interruptions.*unbound: true/s)
    expect(paid(pay)).toEqual([])
    const [shown] = toActionRequests(
      (await RunState.load(agent, { threadId: 't', store })).interruptions,
    ).action_requests
    expect(shown).toMatchObject({ id: error.requestIds[0], digest: expect.any(String), version: 1 })
    const body = { decisions: [{ type: 'approve', id: shown!.id, digest: shown!.digest! }], by: 'ann' }
    expect((await handle(body)).interruptions).toMatchObject([{ args: { n: 999_999 } }])
    expect((await handle(body)).interruptions).toMatchObject([{ args: { n: 999_999 } }])
    expect(paid(pay)).toEqual([10])
    // Who says so takes what is open.
    expect((await handle({ ...bare, unbound: true })).status).toBe('completed')
  })

  test.each([
    ['a batch', { decisions: [approve], by: 'ann' }],
    ['an answer', { answer: approve, by: 'ann' }],
  ])('%s twice on one thread, one after the other or at once, does not approve the next call', async (_, body) => {
    for (const atOnce of [true, false]) {
      const { pay, agent } = payer()
      const thread = agent.thread('t', { store: memoryStore() })
      await thread.prompt('go')
      if (atOnce) await Promise.all([thread.respond(body), thread.respond(body)])
      else for (let i = 0; i < 3; i++) expect((await thread.respond(body)).status).toBe('suspended')
      expect(paid(pay)).toEqual([10])
      const other = { ...body, by: 'bob' }
      await refused(thread.respond(other), HitlStaleAnswer, 'stale_answer')
      const { requests } = await thread.resume()
      expect(requests).toMatchObject([{ args: { n: 999_999 } }])
      expect((await thread.respond(body)).status).toBe('completed')
    }
  })

  test('on one state likewise: only looking shows the next call', async () => {
    const { pay, agent } = payer()
    const { state } = await run(agent, 'go')
    const decide = () => state.decide({ decisions: [approve], by: 'ann' })
    await Promise.all([decide(), decide()])
    await run(agent, state)
    await decide()
    await run(agent, state)
    expect(paid(pay)).toEqual([10])
    expect(state.interruptions).toHaveLength(1)
    await decide()
    await run(agent, state)
    expect(paid(pay)).toEqual([10, 999_999])
  })

  test('a batch is refused if more is open than was shown', async () => {
    const { agent } = scripted([calls(['a', 'pay'], ['b', 'pay'])], [gated('pay')])
    const store = memoryStore()
    const thread = agent.thread('t', { store })
    await thread.prompt('go')
    await thread.loadPendingHitlRequest()
    const error = await refused(thread.respond({ decisions: [approve] }), DecisionUnbound, 'decision_unbound')
    expect(error.requestIds).toHaveLength(2)
  })

  test('a call id that names an earlier request too must be told apart, unless this object has shown it', async () => {
    const { pay, agent } = payer('a')
    const store = memoryStore()
    const open = () => agent.thread('t', { store })
    await open().prompt('go')
    const body = { questionId: 'a', answer: approve, by: 'ann' }
    const { requests } = await open().respond(body)
    const error = await refused(open().respond(body), QuestionAmbiguous, 'question_ambiguous')
    expect(error.requestIds).toContain(requests[0]!.id)
    const state = await RunState.load(agent, { threadId: 't', store })
    await refused(state.approve('a'), QuestionAmbiguous, 'question_ambiguous')
    expect(paid(pay)).toEqual([10])
    const { digest } = requests[0]!
    expect((await open().respond({ ...body, digest: digest! })).status).toBe('completed')
    expect(paid(pay)).toEqual([10, 999_999])
  })
})

describe('version and digest at every door', () => {
  type Given = { version?: number; digest?: string }
  const doors: [string, (at: Awaited<ReturnType<typeof paused>>, given: Given) => Promise<unknown>][] = [
    ['state.approve', ({ state, id }, given) => state.approve(id, { by: 'ann', ...given })],
    ['state.decide', ({ state, id }, given) => state.decide({ id, decision: approve, by: 'ann', ...given })],
    ['a batch', ({ state, id }, given) => state.decide({ decisions: [{ ...approve, id, ...given }], by: 'ann' })],
    ['thread.respond', ({ thread, id }, given) => thread.respond({ id, decision: approve, by: 'ann', ...given })],
    ['desk.decide', ({ desk, id }, given) => desk.decide({ id, decision: approve, by: ANN, ...given })],
    ['desk.answer', ({ desk, id }, given) => desk.answer(id, approve, { by: ANN, ...given })],
    [
      'a copy',
      ({ desk, request }, given) => desk.decide({ request: { ...request, ...given }, decision: approve, by: ANN }),
    ],
  ]

  async function paused() {
    const store = memoryStore()
    const { agent } = scripted([calls(['a', 'pay', { n: 1 }]), 'Done.'], [gated('pay')])
    const result = await run(agent, 'go', { store, threadId: 't' })
    const request = only(result)
    const thread: Thread = agent.thread('t', { store })
    return { store, request, id: request.id, state: result.state, thread, desk: openDesk({ store }) }
  }

  test.each(doors)('%s', async (_, door) => {
    const at = await paused()
    const other = 'f'.repeat(64)
    const changed = await refused(door(at, { digest: other }), RequestChanged, 'request_changed')
    expect(changed).toMatchObject({ requestId: at.id, version: 1, digest: at.request.digest })
    const stale = await refused(door(at, { version: 2 }), HitlStaleAnswer, 'stale_answer')
    expect(stale.message).toContain('open at version 1')
    expect((await at.desk.get(at.id)).status).toBe('open')
    const right = { version: 1, digest: at.request.digest! }
    await door(at, right)
    await door(at, right)
    const settled = await refused(door(at, { digest: other }), HitlStaleAnswer, 'stale_answer')
    expect(settled).toMatchObject({ by: ANN, decision: approve, at: expect.any(String) })
  })

  test('undoSeconds, comment and always go with an answer at each of them', async () => {
    const beside = { undoSeconds: 60, comment: 'checked', always: true }
    const more = doors.slice(1, 4).map(([, door]) => door)
    for (const door of more) {
      const at = await paused()
      const given = door === more[2] ? { ...beside, signal: AbortSignal.timeout(50) } : beside
      await door(at, given as never)
      const { decision } = await at.desk.get(at.id)
      expect(Date.parse(decision!.effectiveAt) - Date.parse(decision!.at)).toBe(60_000)
      expect((await at.desk.grants({ status: 'all' })).grants).toHaveLength(1)
      expect(JSON.stringify((await at.store.read('t')).entries)).toContain('checked')
    }
  })
})

describe('an idempotency key', () => {
  const body = { decisions: [{ type: 'approve' }], by: 'ann', unbound: true, idempotencyKey: 'k-1' }

  test('makes an unbound batch recognisable as a repeat, after a restart too', () =>
    inFolder('keys', async (folder) => {
      const { pay, agent } = payer()
      const inStore = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
        const store = sqliteStore({ path: `${folder}/store.db` })
        return work(store).finally(() => store.close())
      }
      await inStore((store) => run(agent, 'go', { store, threadId: 't' }))
      const first = await inStore((store) => agent.thread('t', { store }).respond(body))
      expect(first).toMatchObject({ status: 'suspended', requests: [{ args: { n: 999_999 } }] })
      const again = await inStore((store) => agent.thread('t', { store }).respond(body))
      expect(again).toMatchObject({ status: 'suspended', requests: [{ args: { n: 999_999 } }] })
      const answered = await inStore(async (store) => {
        const state = await RunState.load(agent, { threadId: 't', store })
        return state.decide(body)
      })
      expect(answered).toMatchObject([{ args: { n: 10 }, status: 'decided' }])
      expect(paid(pay)).toEqual([10])
    }))

  test('with other content is refused; of another person it is another key', async () => {
    const { pay, agent } = payer()
    const store = memoryStore()
    const respond = (more: object) => agent.thread('t', { store }).respond({ ...body, ...more })
    await run(agent, 'go', { store, threadId: 't' })
    await respond({})
    const others = [{ decisions: [{ type: 'reject' }] }, { decisions: [approve, approve] }]
    for (const more of [...others, { always: true }, { comment: 'x' }, { undoSeconds: 60 }]) {
      const error = await refused(respond(more), IdempotencyKeyReused, 'idempotency_key_reused')
      expect(error.requestIds).toHaveLength(1)
    }
    const [open] = (await openDesk({ store }).list({ status: 'open' })).requests
    const named = { id: open!.id, decision: approve, by: ANN, idempotencyKey: 'k-1' }
    await refused(openDesk({ store }).decide(named), IdempotencyKeyReused, 'idempotency_key_reused')
    await refused(respond({ idempotencyKey: '' }), DecisionInvalid, 'decision_invalid')
    expect(paid(pay)).toEqual([10])
    expect((await respond({ by: 'bob' })).status).toBe('completed')
    expect(paid(pay)).toEqual([10, 999_999])
  })

  test('is kept of answers to confirms and asks, and at the desk', async () => {
    const store = memoryStore()
    const { agent } = scripted([calls(['a', 'sure'])], [asking('sure')])
    const paused = await run(agent, 'go', { store, threadId: 't' })
    const desk = openDesk({ store })
    const given = { id: only(paused).id, answer: true, by: ANN, idempotencyKey: 'k' }
    const [first] = await desk.decide(given)
    expect(await desk.decide(given)).toEqual([first])
    await refused(desk.decide({ ...given, answer: false }), IdempotencyKeyReused, 'idempotency_key_reused')
  })

  test('sent from many places at once settles one request', async () => {
    const { pay, agent } = payer()
    const store = memoryStore()
    await run(agent, 'go', { store, threadId: 't' })
    const sent = await Promise.all(
      Array.from({ length: 8 }, () =>
        RunState.load(agent, { threadId: 't', store }).then((state) => state.decide(body)),
      ),
    )
    for (const requests of sent) expect(requests).toMatchObject([{ args: { n: 10 }, status: 'decided' }])
    await run(agent, await RunState.load(agent, { threadId: 't', store }))
    expect(paid(pay)).toEqual([10])
  })
})

/** A tool that asks in its body. */
function asking(name: string) {
  return tool({
    name,
    description: 'Asks.',
    parameters: z.object({}),
    resumable: true,
    execute: async (_, ctx) =>
      name === 'sure'
        ? String(await ctx.confirm('Sure?'))
        : JSON.stringify(await ctx.ask([{ key: 'k', prompt: 'Which?' }])),
  })
}

describe('a batch of several kinds', () => {
  async function mixed() {
    const pay = gated('pay')
    const store = memoryStore()
    const made = scripted(
      [calls(['a', 'pay'], ['b', 'sure'], ['c', 'form']), 'Done.'],
      [pay, asking('sure'), asking('form')],
    )
    const paused = await run(made.agent, 'go', { store, threadId: 't' })
    const of = (kind: string) => paused.interruptions.find((request) => request.kind === kind)!
    return { ...made, store, pay, paused, of }
  }

  test('approvals, confirms and asks are answered together, by name or in order', async () => {
    for (const byName of [true, false]) {
      const { agent, paused, of, pay } = await mixed()
      const said = { approve: { decision: approve }, confirm: { answer: true }, ask: { answer: { k: 'x' } } }
      const decisions = byName
        ? [
            { id: of('ask').id, ...said.ask },
            { ...approve, id: of('approve').id },
            { id: of('confirm').id, answer: true },
          ]
        : paused.interruptions.map(({ kind }) => said[kind])
      const decided = await paused.state.decide({ decisions, by: 'ann', undoSeconds: 0 })
      expect(decided.map(({ status }) => status)).toEqual(['decided', 'decided', 'decided'])
      const { messages } = (await run(agent, paused.state)).state
      expect(messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual([
        'pay done',
        'true',
        '{"k":"x"}',
      ])
      expect(pay.runs).toHaveLength(1)
    }
  })

  test('a flaw anywhere answers nothing', async () => {
    const { paused, of, store } = await mixed()
    const named = (kind: string, said: object) => ({ id: of(kind).id, ...said })
    const { state } = paused
    const decide = (...decisions: object[]) => state.decide({ decisions: decisions as JsonObject[] })
    const yes = named('approve', { decision: approve })
    await refused(decide(yes, named('confirm', { answer: 'yes' })), AnswerInvalid, 'answer_invalid')
    await refused(decide(yes, named('confirm', { decision: approve })), AnswerInvalid, 'answer_invalid')
    await refused(decide(yes, named('ask', { answer: { other: 'x' } })), AnswerInvalid, 'answer_invalid')
    await refused(decide(yes, named('confirm', { answer: true, always: true })), DecisionInvalid, 'decision_invalid')
    await refused(decide(yes, { answer: true }), DecisionInvalid, 'decision_invalid')
    await refused(decide(yes, { ...named('confirm', { answer: true }), sure: 1 }), DecisionInvalid, 'decision_invalid')
    await refused(decide(yes, yes), DecisionInvalid, 'decision_invalid')
    expect((await openDesk({ store }).list({ status: 'open' })).requests).toHaveLength(3)
  })
})

test('however often and in whatever order bodies come, each settles what its author saw and nothing else', async () => {
  const STEPS = 4
  for (let seed = 1; seed <= 30; seed++) {
    const { next } = seeded(seed)
    const pay = gated('pay', { parameters: z.object({ n: z.number() }) })
    const script = Array.from({ length: STEPS }, (_, n) => calls([`c${next() < 0.5 ? 0 : n}`, 'pay', { n }]))
    const { agent } = scripted([...script, 'Done.'], [pay])
    const store = memoryStore()
    await run(agent, 'go', { store, threadId: 't' })
    const sent: { body: object; n: number }[] = []
    const thread = agent.thread('t', { store })
    const send = (body: object) => (next() < 0.5 ? thread : agent.thread('t', { store })).respond(body as never)
    for (let n = 0; n < STEPS; n++) {
      const [open] = (await openDesk({ store }).list({ status: 'open' })).requests
      const { id, questionId, digest } = open!
      const bodies = [
        { id, answer: approve },
        { questionId, digest, decision: approve },
        { decisions: [{ ...approve, id, digest }] },
        { decisions: [approve], unbound: true, idempotencyKey: `${seed}-${n}` },
      ]
      const body = { ...bodies[Math.floor(next() * bodies.length)], by: 'ann' }
      sent.push({ body, n })
      const repeats = Array.from({ length: Math.floor(next() * 3) }, () => sent[Math.floor(next() * sent.length)]!.body)
      const all = [body, ...repeats].sort(() => next() - 0.5)
      const outcomes = await Promise.allSettled(all.map(send))
      const bad = outcomes.find((one) => one.status === 'rejected')
      expect(bad, `seed ${seed}: ${bad?.status === 'rejected' ? bad.reason : ''}`).toBeUndefined()
      expect(paid(pay), `seed ${seed}`).toEqual(sent.map((one) => one.n))
    }
  }
})
