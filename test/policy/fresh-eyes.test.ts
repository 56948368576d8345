import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  type AgentOptions,
  definePolicy,
  FactsUnstable,
  HitlNoPendingRequest,
  humanInTheLoop,
  InMemoryChannel,
  type JsonValue,
  memoryStore,
  openDesk,
  previewEdit,
  RunState,
  run,
  tool,
} from '../../src/index.ts'
import { ReviewerNotAllowed } from '../../src/protocol/errors/errors.ts'
import { scriptedModel } from '../../src/testing.ts'

/** A transfer whose facts come from `read`. */
function bank(
  read: { preview?: () => JsonValue; preconditions?: () => JsonValue },
  options: object = {},
  agentOptions: Partial<AgentOptions> = {},
) {
  const paid: number[] = []
  const transfer = tool({
    name: 'transfer',
    description: 'Sends money',
    parameters: z.object({ cents: z.number() }),
    needsApproval: true,
    ...read,
    ...options,
    execute: ({ cents }) => {
      paid.push(cents)
      return 'sent'
    },
  })
  const model = scriptedModel([
    { toolCalls: [{ id: 'c1', name: 'transfer', args: { cents: 30 } }] },
    ({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Done.' : 'Hm.'),
    'Done.',
  ])
  const agent = new Agent({ name: 'teller', model, tools: [transfer], ...agentOptions })
  const store = memoryStore()
  const load = () => RunState.load(agent, { threadId: 't', store })
  return { agent, store, paid, load, go: () => run(agent, 'go', { threadId: 't', store }) }
}

describe('grants never answer what needs fresh eyes', () => {
  test('what was approved with always at a balance of 100 does not run at 10', async () => {
    let balance = 100
    const { agent, paid, go, load } = bank({ preconditions: () => ({ balance }) })
    const paused = await go()
    await paused.state.approve(paused.interruptions[0]!, { always: true, by: 'ann' })
    balance = 10
    const again = await run(agent, await load())
    expect(again.status).toBe('interrupted')
    expect(again.interruptions).toMatchObject([{ reason: 'changed', preconditions: { balance: 10 } }])
    expect(paid).toEqual([])
    // Also when the run is resumed again: the grant is still there and still does not answer.
    expect((await run(agent, await load())).status).toBe('interrupted')
    await again.state.approve(again.interruptions[0]!, { by: 'ann' })
    expect((await run(agent, await load())).status).toBe('completed')
    expect(paid).toEqual([30])
  })

  test('a grant of another person, given while it waits, does not answer it either', async () => {
    let balance = 100
    const { agent, paid, go, load, store } = bank({ preconditions: () => ({ balance }) })
    const paused = await go()
    await paused.state.approve(paused.interruptions[0]!)
    balance = 10
    const again = await run(agent, await load())
    const other = bank({ preconditions: () => 0 })
    const first = await run(other.agent, 'go', { threadId: 'other', store })
    await first.state.approve(first.interruptions[0]!, { always: { scope: 'tenant' } })
    expect(again.interruptions[0]?.reason).toBe('changed')
    expect((await run(agent, await load())).status).toBe('interrupted')
    expect(paid).toEqual([])
  })

  test('an edit that was refused goes back to a person, whatever always says', async () => {
    const { agent, go, load, store, paid } = bank({})
    const paused = await go()
    const by = { kind: 'person', id: 'ann' } as const
    const desk = openDesk({ store })
    const request = paused.interruptions[0]!.id
    // The stored schema accepts it, the tool no longer does.
    await desk.decide({ request, decision: { type: 'edit', args: { cents: 40 } }, by })
    const strict = tool({
      name: 'transfer',
      description: 'Sends money',
      parameters: z.object({ cents: z.number() }).refine(({ cents }) => cents !== 40, 'not 40'),
      parametersJsonSchema: agent.tools[0]!.definition.parameters,
      needsApproval: true,
      execute: ({ cents }) => {
        paid.push(cents)
        return 'sent'
      },
    })
    const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'transfer', args: { cents: 1 } }] }, 'Done.', 'Done.'])
    const later = new Agent({ name: 'teller', model, tools: [strict] })
    const other = await run(later, 'go', { threadId: 'o', store })
    await other.state.approve(other.interruptions[0]!, { always: { scope: 'agent' } })
    const again = await run(later, await RunState.load(later, { threadId: 't', store }))
    expect(again.interruptions).toMatchObject([{ problems: [expect.stringContaining('not 40')] }])
    expect(paid).not.toContain(30)
    expect((await load()).interruptions).toHaveLength(1)
  })

  test('silence is no fresh eyes: what changed does not run because its time is over', async () => {
    let balance = 100
    const policy = humanInTheLoop({ interruptOn: { transfer: { timeoutSeconds: 60, onTimeout: 'allow' } } })
    const { agent, paid, go, load } = bank({ preconditions: () => ({ balance }) }, { risk: 'low' }, { policy })
    const paused = await go()
    expect(paused.interruptions).toMatchObject([{ onTimeout: 'allow' }])
    await paused.state.approve(paused.interruptions[0]!)
    balance = 10
    const again = await run(agent, await load())
    expect(again.interruptions).toMatchObject([{ reason: 'changed', expiresAt: expect.any(String) }])
    expect(again.interruptions[0]).not.toHaveProperty('onTimeout')
    expect(paid).toEqual([])
  })
})

describe('facts that differ at each reading', () => {
  const counter = () => {
    let n = 0
    return () => ({ same: 1, rows: { count: n++ } })
  }

  test.each(['preconditions', 'preview'] as const)('%s end after three rounds with FactsUnstable', async (what) => {
    const { agent, paid, go, load } = bank({ [what]: counter() })
    let result = await go()
    let rounds = 0
    for (; result.status === 'interrupted' && rounds < 10; rounds++) {
      await result.state.approve(result.interruptions[0]!)
      result = await run(agent, await load())
    }
    expect(rounds).toBe(3)
    expect(result.error).toBeInstanceOf(FactsUnstable)
    expect(result.error).toMatchObject({
      code: 'facts_unstable',
      toolName: 'transfer',
      members: [`${what}.rows.count`],
    })
    expect(paid).toEqual([])
    // It is over: the run goes on, and the model reads that it did not run.
    const done = await run(agent, await load())
    expect(done).toMatchObject({ status: 'completed' })
    expect(JSON.stringify(done.state.messages)).toContain('different each time')
    expect(paid).toEqual([])
  })

  test('with a person who says yes to everything at once, a live thread comes to an end', async () => {
    const { agent, paid, store } = bank({ preconditions: counter() })
    const channel = new InMemoryChannel()
    let asked = 0
    channel.subscribe(async (request) => {
      asked += 1
      await channel.answer(request.questionId, { type: 'approve' })
    })
    const done = await agent.thread('live', { store, channel }).prompt('go')
    expect(done).toMatchObject({ status: 'failed', error: { code: 'facts_unstable' } })
    expect(asked).toBe(3)
    expect(paid).toEqual([])
  })

  test('edits of them come to an end, too', async () => {
    const { agent, paid, go, load } = bank({ preconditions: counter() })
    let result = await go()
    let rounds = 0
    for (; result.status === 'interrupted' && rounds < 10; rounds++) {
      await result.state.edit(result.interruptions[0]!, { args: { cents: 31 + rounds } })
      result = await run(agent, await load())
    }
    expect(rounds).toBe(3)
    expect(result.error).toBeInstanceOf(FactsUnstable)
    expect(paid).toEqual([])
  })
})

describe('a preview is read again before the effect', () => {
  test('one that changed: nothing runs, and a new request shows the difference', async () => {
    let rows = 3
    const { agent, paid, go, load } = bank({ preview: () => `deletes ${rows} rows` })
    const paused = await go()
    await paused.state.approve(paused.interruptions[0]!)
    rows = 5000
    const again = await run(agent, await load())
    expect(again.interruptions).toMatchObject([
      {
        reason: 'changed',
        preview: 'deletes 5000 rows',
        details: { preview: { before: 'deletes 3 rows', now: 'deletes 5000 rows' } },
      },
    ])
    expect(paid).toEqual([])
  })

  test("previewCheck: 'none' leaves it as it was shown, and does not read it again", async () => {
    let reads = 0
    const { agent, paid, go, load } = bank({ preview: () => ++reads }, { previewCheck: 'none' })
    const paused = await go()
    await paused.state.approve(paused.interruptions[0]!)
    expect((await run(agent, await load())).status).toBe('completed')
    expect([paid, reads]).toEqual([[30], 1])
  })

  test('of { show, compare } people see show, and only compare has to be the same', async () => {
    let now = 1
    let rows = 3
    const { agent, paid, go, load } = bank({
      preview: () => ({ show: `at ${now++}: ${rows} rows`, compare: { rows } }),
    })
    const paused = await go()
    const [request] = paused.interruptions
    expect(request).toMatchObject({ preview: 'at 1: 3 rows' })
    expect(request).not.toHaveProperty('previewCompare')
    await paused.state.approve(request!)
    rows = 4
    const again = await run(agent, await load())
    expect(again.interruptions).toMatchObject([
      { preview: 'at 2: 4 rows', details: { preview: { before: { rows: 3 }, now: { rows: 4 } } } },
    ])
    expect(again.interruptions[0]?.digest).not.toBe(request?.digest)
    await again.state.approve(again.interruptions[0]!)
    expect((await run(agent, await load())).status).toBe('completed')
    expect(paid).toEqual([30])
  })

  test('a previewCheck that is none of these is refused when the tool is made', () => {
    expect(() => bank({}, { previewCheck: 'never' })).toThrow(/previewCheck/)
  })
})

describe('edits keep the freshness of what was shown', () => {
  test('through a desk: what its author saw has changed, so the edit is not taken over', async () => {
    let balance = 100
    const { agent, paid, go, load, store } = bank({ preconditions: () => ({ balance }) })
    const paused = await go()
    const by = { kind: 'person', id: 'ann' } as const
    const decision = { type: 'edit', args: { cents: 10 } } as const
    await openDesk({ store }).decide({ request: paused.interruptions[0]!.id, decision, by })
    balance = 20
    const again = await run(agent, await load())
    expect(again.interruptions).toMatchObject([
      { reason: 'changed', args: { cents: 30 }, preconditions: { balance: 20 } },
    ])
    expect(paid).toEqual([])
  })

  test('the facts of the edited call are recorded, and compared right before it starts', async () => {
    const reads: JsonValue[] = []
    let next: JsonValue[] = []
    const { agent, paid, go, load } = bank({
      preconditions: () => {
        const value = next.shift() ?? 'same'
        reads.push(value)
        return value
      },
    })
    const paused = await go()
    await paused.state.edit(paused.interruptions[0]!, { args: { cents: 10 } })
    next = ['same', 'edited', 'moved']
    const again = await run(agent, await load())
    expect(reads).toEqual(['same', 'same', 'edited', 'moved'])
    expect(again.interruptions).toMatchObject([
      { reason: 'changed', args: { cents: 10 }, details: { preconditions: { before: 'edited', now: 'moved' } } },
    ])
    expect(paid).toEqual([])
  })
})

describe('previewEdit shows what an edit would do, before it is decided', () => {
  test('its arguments, digest and facts, and writes nothing', async () => {
    let balance = 100
    const { agent, paid, store, go, load } = bank({ preview: () => ({ show: `of ${balance}`, compare: balance }) })
    const paused = await go()
    const [request] = paused.interruptions
    const before = (await store.read('t')).entries.length
    const edit = { request: request!, args: { cents: 10 } }
    const first = await previewEdit(agent, edit, { store })
    expect(first).toEqual({
      ok: true,
      toolName: 'transfer',
      args: { cents: 10 },
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      preview: 'of 100',
    })
    balance = 90
    const second = await previewEdit(agent, { ...edit, request: request!.id }, { store })
    expect(second).toMatchObject({ preview: 'of 90' })
    expect((await store.read('t')).entries).toHaveLength(before)
    balance = 100
    await paused.state.edit(request!, { args: { cents: 10 } })
    expect((await run(agent, await load())).status).toBe('completed')
    expect(paid).toEqual([10])
    const released = (await store.read('t')).entries
      .map(({ body }) => JSON.parse(body))
      .find(({ type }) => type === 'call.released')
    expect(released.digest).toBe(first.ok && first.digest)
  })

  test('what would be refused, and why', async () => {
    const policy = definePolicy(({ args }) =>
      Number(args.cents) > 50 ? { verdict: 'deny', reason: 'Too much.' } : { verdict: 'review', reviewers: ['ann'] },
    )
    const { agent, store, go } = bank({}, {}, { policy })
    const [request] = (await go()).interruptions
    const preview = (args: never, by = 'ann') => previewEdit(agent, { request: request!, args, by }, { store })
    expect(await preview({ cents: 99 } as never)).toEqual({ ok: false, problems: ['Too much.'] })
    expect(await preview({ cents: 'x' } as never)).toMatchObject({
      ok: false,
      problems: [expect.stringContaining('cents')],
    })
    await expect(preview({ cents: 1 } as never, 'eve')).rejects.toBeInstanceOf(ReviewerNotAllowed)
    await expect(previewEdit(agent, { request: 'nope', args: {} }, { store })).rejects.toBeInstanceOf(
      HitlNoPendingRequest,
    )
  })

  test('the tool is handed the live objects that it needs', async () => {
    const { agent, store, go } = bank({}, { preview: (_: unknown, { deps }: { deps: JsonValue }) => deps ?? null })
    const [request] = (await go()).interruptions
    const shown = await previewEdit(agent, { request: request!, args: { cents: 1 } }, { store, deps: 'live' })
    expect(shown).toMatchObject({ ok: true, preview: 'live' })
  })
})
