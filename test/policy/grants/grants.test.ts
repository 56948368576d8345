import { describe, expect, test } from 'vitest'
import { type GrantOptions, humanInTheLoop, openDesk, RunState, run } from '../../../src/index.ts'
import type { Store } from '../../../src/ports/store.ts'
import { GrantNotFound } from '../../../src/protocol/errors/errors.ts'
import { fakeClock } from '../../../src/testing/fake-clock.ts'
import { refused } from '../../support/agents/failures.ts'
import { gated } from '../../support/agents/recording-tools.ts'
import { only, resultsIn } from '../../support/agents/results.ts'
import { calls, scripted } from '../../support/agents/scripted-agent.ts'
import { entriesOf } from '../../support/stores/entries.ts'
import { brings, intercept } from '../../support/stores/wrapped-stores.ts'
import { payer, payTool, stores } from '../payer.ts'

const by = { kind: 'person', id: 'ann' } as const

/** Gives a grant by approving the one call of a thread of its own, which then ends. */
async function give(store: Store, always: true | GrantOptions, threadId = 'given', tool = payTool()): Promise<string> {
  const { agent } = payer([{ amount: 1 }], tool)
  const paused = await run(agent, 'go', { store, threadId })
  await paused.state.approve(only(paused), { always, by: 'ann' })
  await run(agent, paused.state)
  const { grants } = await openDesk({ store }).grants({ status: 'all', threadId })
  return grants[0]!.id
}

describe.each(stores)('grants %s', (_name, open) => {
  test('a grant of the thread covers later runs of the thread, and no other thread', async () => {
    const store = open()
    const id = await give(store, { scope: 'thread' }, 't')
    const again = payer([{ amount: 2 }])
    expect((await run(again.agent, 'again', { store, threadId: 't' })).status).toBe('completed')
    expect(again.pay.runs[0]?.ctx.approvedBy).toEqual({ kind: 'grant', id })
    const other = payer([{ amount: 2 }])
    expect((await run(other.agent, 'go', { store, threadId: 'u' })).status).toBe('interrupted')
  })

  test('a grant of the agent covers all of its threads, and no other agent or tenant', async () => {
    const store = open()
    await give(store, { scope: 'agent' })
    expect((await run(payer([{}]).agent, 'go', { store, threadId: 'u' })).status).toBe('completed')
    const sales = payer([{}], payTool(), { id: 'sales' })
    expect((await run(sales.agent, 'go', { store, threadId: 's' })).status).toBe('interrupted')
    expect((await run(payer([{}]).agent, 'go', { store: store.tenant('x'), threadId: 'u' })).status).toBe('interrupted')
  })

  test('a grant of the tenant covers every agent of it', async () => {
    const store = open()
    const { agent } = payer([{}])
    const paused = await run(agent, 'go', { store, threadId: 't' })
    await paused.state.approve(only(paused), { always: { scope: 'tenant' } })
    const sales = payer([{}], payTool(), { id: 'sales' })
    expect((await run(sales.agent, 'go', { store, threadId: 's' })).status).toBe('completed')
    expect(sales.pay.runs[0]?.ctx.approvedBy?.kind).toBe('grant')
  })

  test('another definition of the tool is not covered', async () => {
    const store = open()
    await give(store, { scope: 'agent' })
    const changed = payer([{}], payTool({ description: 'pays double' }))
    expect((await run(changed.agent, 'go', { store, threadId: 'u' })).status).toBe('interrupted')
  })

  test('only calls whose arguments are like the pattern are covered', async () => {
    const store = open()
    const args = { to: { oneOf: ['ann', 'bob'] }, ref: { prefix: 'INV-' }, currency: 'EUR', tags: [{ a: 1, b: 2 }] }
    await give(store, { scope: 'agent', args })
    const good = { to: 'bob', ref: 'INV-7', currency: 'EUR', tags: [{ b: 2, a: 1 }], more: 1 }
    const { agent, pay } = payer([
      [good, { ...good, to: 'eve' }, { ...good, ref: 'X' }, { ...good, ref: 5 }, { ...good, currency: 'USD' }],
      [],
    ])
    const paused = await run(agent, 'go', { store, threadId: 'u' })
    expect(pay.runs.map((one) => one.args)).toEqual([good])
    expect(paused.interruptions).toHaveLength(4)
  })

  test('uses are counted across turns and threads; then people are asked again', async () => {
    const store = open()
    const id = await give(store, { scope: 'agent', uses: 3 })
    const first = payer([[{ n: 1 }, { n: 2 }]])
    expect((await run(first.agent, 'go', { store, threadId: 'u' })).status).toBe('completed')
    const second = payer([[{ n: 3 }, { n: 4 }]])
    const paused = await run(second.agent, 'go', { store, threadId: 'v' })
    expect(only(paused).args).toEqual({ n: 4 })
    expect(second.pay.runs.map((one) => one.args)).toEqual([{ n: 3 }])
    expect(await openDesk({ store }).grant(id)).toMatchObject({ status: 'used_up', uses: 3, used: 3 })
    await paused.state.approve(only(paused))
    expect((await run(second.agent, paused.state)).status).toBe('completed')
  })

  test('a cap is the most that all uses take together; what has no usable value is not covered', async () => {
    const store = open()
    const id = await give(store, { scope: 'agent', cap: { field: 'amount', max: 100 } })
    const { agent, pay } = payer([[{ amount: 60 }, { amount: 50 }, { amount: 40 }, {}, { amount: -1 }]])
    const paused = await run(agent, 'go', { store, threadId: 'u' })
    expect(pay.runs.map((one) => one.args)).toEqual([{ amount: 60 }, { amount: 40 }])
    expect(paused.interruptions.map((one) => one.args)).toEqual([{ amount: 50 }, {}, { amount: -1 }])
    expect(await openDesk({ store }).grant(id)).toMatchObject({
      spent: 100,
      used: 2,
      cap: { field: 'amount', max: 100 },
    })
  })

  test('a run’s own uses and caps hold too', async () => {
    const store = open()
    const { agent, pay } = payer([{ amount: 1 }, { amount: 7 }, { amount: 7 }, { amount: 3 }])
    const paused = await run(agent, 'go', { store, threadId: 't' })
    await paused.state.approve(only(paused), { always: { cap: { field: 'amount', max: 10 }, uses: 2 } })
    const asked = await run(agent, paused.state)
    expect(only(asked).args).toEqual({ amount: 7 })
    await asked.state.reject(only(asked))
    expect((await run(agent, asked.state)).status).toBe('completed')
    expect(pay.runs.map((one) => one.args)).toEqual([{ amount: 1 }, { amount: 7 }, { amount: 3 }])
  })

  test('a grant ends at its time', async () => {
    const clock = fakeClock(Date.now())
    const store = open(clock)
    await give(store, { scope: 'agent', expiresInSeconds: 3600 })
    expect((await run(payer([{}]).agent, 'go', { store, threadId: 'u' })).status).toBe('completed')
    clock.advance(3_600_000)
    expect((await run(payer([{}]).agent, 'go', { store, threadId: 'v' })).status).toBe('interrupted')
    expect((await openDesk({ store }).grants()).grants).toEqual([])
    expect((await openDesk({ store }).grants({ status: 'all' })).grants).toMatchObject([{ status: 'expired' }])
  })

  test('a standing rejection of the agent refuses calls of other threads with its words, as often as it says', async () => {
    const store = open()
    const { agent } = payer([{}])
    const paused = await run(agent, 'go', { store, threadId: 't' })
    await paused.state.reject(only(paused), { message: 'never', always: { scope: 'agent', uses: 2 } })
    const other = payer([[{ n: 1 }, { n: 2 }, { n: 3 }]])
    const asked = await run(other.agent, 'go', { store, threadId: 'u' })
    expect(only(asked).args).toEqual({ n: 3 })
    await asked.state.approve(only(asked))
    await run(other.agent, asked.state)
    expect(resultsIn(other.model.requests[1]?.messages).map(([, text]) => text)).toEqual(['never', 'never', 'pay done'])
    const refusals = (await entriesOf(store, 'u')).filter((entry) => entry.type === 'call.refused')
    expect(refusals).toMatchObject([{ by: { kind: 'grant' } }, { by: { kind: 'grant' } }])
  })

  test('deny beats allow, and an exact decision beats both', async () => {
    const store = open()
    const waiting = payer([{}])
    const paused = await run(waiting.agent, 'go', { store, threadId: 'waits' })
    const { agent } = payer([[{ n: 1 }, { n: 2 }]])
    const { state, interruptions } = await run(agent, 'go', { store, threadId: 't' })
    await state.reject(interruptions[0]!, { message: 'no', always: { scope: 'agent' } })
    await state.approve(interruptions[1]!, { always: { scope: 'agent' } })
    await paused.state.approve(only(paused))
    expect((await run(waiting.agent, paused.state)).status).toBe('completed')
    expect(waiting.pay.runs[0]?.ctx.approvedBy?.kind).toBe('person')
    const later = payer([{}])
    await run(later.agent, 'go', { store, threadId: 'later' })
    expect(resultsIn(later.model.requests[1]?.messages).map(([, text]) => text)).toEqual(['no'])
  })

  test('requests that were open before settle on resume by a grant that was given elsewhere since', async () => {
    const store = open()
    const waiting = payer([[{ n: 1 }, { n: 2 }]])
    const paused = await run(waiting.agent, 'go', { store, threadId: 'waits' })
    const id = await give(store, { scope: 'agent', uses: 1 })
    const still = await run(waiting.agent, paused.state)
    expect(only(still).args).toEqual({ n: 2 })
    expect(waiting.pay.runs[0]?.ctx.approvedBy).toEqual({ kind: 'grant', id })
    expect(await openDesk({ store }).get(paused.interruptions[0]!.id)).toMatchObject({
      decision: { type: 'approve', by: { kind: 'grant', id } },
    })
  })

  test('what starts late is spent when it starts: a grant that is gone by then leaves the call to people', async () => {
    const store = open()
    const id = await give(store, { scope: 'agent' })
    const pay = payTool()
    const { agent } = scripted([calls(['a', 'pay', { n: 1 }], ['b', 'wire']), 'Done.'], [pay, gated('wire')], {
      name: 'payer',
    })
    const options = { store, threadId: 'u', toolExecution: { start: 'settled' } } as const
    const paused = await run(agent, 'go', options)
    expect(only(paused).toolName).toBe('wire')
    expect(await openDesk({ store }).grant(id)).toMatchObject({ used: 0 })
    await openDesk({ store }).revoke(id, { by, reason: 'enough' })
    await paused.state.approve('b')
    const asked = await run(agent, paused.state)
    expect(pay.runs).toEqual([])
    expect(only(asked)).toMatchObject({ toolName: 'pay', args: { n: 1 }, reason: 'grant_gone' })
    await asked.state.approve(only(asked))
    expect((await run(agent, asked.state)).status).toBe('completed')
    expect(pay.runs).toHaveLength(1)
  })

  test('what starts late and is still covered spends one use', async () => {
    const store = open()
    const id = await give(store, { scope: 'agent', uses: 2 })
    const { agent } = scripted([calls(['a', 'pay'], ['b', 'wire']), 'Done.'], [payTool(), gated('wire')], {
      name: 'payer',
    })
    const options = { store, threadId: 'u', toolExecution: { start: 'settled' } } as const
    const paused = await run(agent, 'go', options)
    await paused.state.approve('b')
    expect((await run(agent, paused.state)).status).toBe('completed')
    expect(await openDesk({ store }).grant(id)).toMatchObject({ used: 1, status: 'active' })
  })

  test('a revoked grant covers nothing from then on, and the thread where it was given says who took it back', async () => {
    const store = open()
    const desk = openDesk({ store })
    const id = await give(store, { scope: 'agent' }, 't')
    const revoked = await desk.revoke(id, { by, reason: 'too much' })
    expect(revoked).toMatchObject({ id, status: 'revoked', threadId: 't', revoked: { by, reason: 'too much' } })
    expect(await desk.revoke(id, { by: { kind: 'person', id: 'bob' } })).toEqual(revoked)
    expect((await entriesOf(store, 't')).at(-1)).toEqual({ v: 1, type: 'grant.revoked', id, by, reason: 'too much' })
    expect((await run(payer([{}]).agent, 'go', { store, threadId: 'u' })).status).toBe('interrupted')
    await refused(desk.revoke('none', { by }), GrantNotFound, 'grant_not_found')
  })

  test('a grant that is revoked between judging and starting is not spent: the call is asked', async () => {
    const store = open()
    const id = await give(store, { scope: 'agent' })
    const { agent, pay } = payer([{}])
    const late = intercept(store, async (append) => {
      if (brings(append, 'model.answered')) await openDesk({ store }).revoke(id, { by })
    })
    expect((await run(agent, 'go', { store: late, threadId: 'u' })).status).toBe('interrupted')
    expect(pay.runs).toEqual([])
    const types = (await entriesOf(store, 'u')).map(({ type }) => type)
    expect(types.filter((type) => type === 'model.answered')).toHaveLength(1)
    expect(types).not.toContain('call.released')
  })

  test('a grant waits until its decision can no longer be withdrawn, and goes with it', async () => {
    const clock = fakeClock(Date.now())
    const store = open(clock)
    const desk = openDesk({ store })
    const { agent } = payer([{}])
    const request = only(await run(agent, 'go', { store, threadId: 't' }))
    const answer = { decision: { type: 'approve' }, by, always: { scope: 'agent' }, undoSeconds: 60 } as const
    await desk.decide({ request, ...answer })
    const early = payer([{}])
    expect((await run(early.agent, 'go', { store, threadId: 'u' })).status).toBe('interrupted')
    await desk.withdraw(request, by)
    expect((await desk.grants({ status: 'all' })).grants).toMatchObject([{ status: 'revoked', revoked: { by } }])
    await desk.decide({ request: request.id, ...answer })
    clock.advance(60_000)
    expect((await run(payer([{}]).agent, 'go', { store, threadId: 'v' })).status).toBe('completed')
  })

  test('a grant lets through no more than the person who gave it could', async () => {
    const store = open()
    await give(store, { scope: 'agent' })
    for (const rule of [{ reviewers: ['cfo'] }, { allowedDecisions: ['reject', 'respond'] }] as const) {
      const policy = humanInTheLoop({ interruptOn: { pay: rule } })
      const { agent } = scripted([calls(['a', 'pay'])], [payTool({ needsApproval: false })], { name: 'payer', policy })
      expect((await run(agent, 'go', { store, threadId: JSON.stringify(rule).length.toString() })).status).toBe(
        'interrupted',
      )
    }
    const policy = humanInTheLoop({ interruptOn: { pay: { reviewers: ['cfo', 'ann'] } } })
    const { agent } = scripted([calls(['a', 'pay']), 'Done.'], [payTool({ needsApproval: false })], {
      name: 'payer',
      policy,
    })
    expect((await run(agent, 'go', { store, threadId: 'ok' })).status).toBe('completed')
  })

  test('a batch and a respond may carry grants of their own', async () => {
    const store = open()
    const { agent, pay } = payer([[{ n: 1 }, { n: 2 }], { n: 3 }])
    const paused = await run(agent, 'go', { store, threadId: 't' })
    await paused.state.decide({
      decisions: [
        { type: 'approve', always: { uses: 1 } },
        { type: 'reject', message: 'no' },
      ],
    })
    expect((await run(agent, paused.state)).status).toBe('completed')
    expect(pay.runs.map((one) => one.args)).toEqual([{ n: 1 }, { n: 3 }])
  })

  test('grants are listed newest first, in pages, with all that they say', async () => {
    const store = open()
    const desk = openDesk({ store })
    for (const n of [1, 2, 3]) {
      await give(store, { scope: 'agent', args: { n } }, `t${n}`)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    const page = await desk.grants({ limit: 2 })
    expect(page.grants.map(({ threadId }) => threadId)).toEqual(['t3', 't2'])
    const [last] = (await desk.grants({ limit: 2, cursor: page.next! })).grants
    expect(last).toMatchObject({
      effect: 'allow',
      status: 'active',
      scope: 'agent',
      agent: 'payer',
      toolName: 'pay',
      args: { n: 1 },
      used: 0,
      by,
      threadId: 't1',
      tenant: 'default',
    })
    expect((await desk.grants({ tool: 'none' })).grants).toEqual([])
    expect((await desk.grants({ agent: 'payer', tool: 'pay', threadId: 't2' })).grants).toHaveLength(1)
  })

  test('the plain cycle makes six appends and looks for grants once', async () => {
    const inner = open()
    const counts = { append: 0, findGrants: 0 }
    const store: Store = {
      ...inner,
      append: (append) => {
        counts.append += append.entries.length > 0 ? 1 : 0
        return inner.append(append)
      },
      findGrants: (query) => {
        counts.findGrants += 1
        return inner.findGrants(query)
      },
    }
    const { agent } = payer([{}])
    const paused = await run(agent, 'go', { store, threadId: 't' })
    await paused.state.approve(only(paused))
    await run(agent, await RunState.load(agent, { threadId: 't', store }))
    expect(counts).toEqual({ append: 6, findGrants: 1 })
    const free = payer([{}], payTool({ needsApproval: false }))
    await run(free.agent, 'go', { store, threadId: 'free' })
    expect(counts.findGrants).toBe(1)
  })
})
