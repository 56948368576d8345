import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, type JsonObject, memoryStore, openDesk, RunState, run, tool } from '../../src/index.ts'
import { ToolInvalid } from '../../src/protocol/errors/errors.ts'
import { scriptedModel } from '../../src/testing.ts'
import { failedWith } from '../support/agents/failures.ts'
import { gated } from '../support/agents/recording-tools.ts'
import { only } from '../support/agents/results.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

const properties = { n: {}, when: {} }
const parametersJsonSchema = { type: 'object', properties }

/** A run that waits before `book`, whose model sent `args`. */
async function waiting(parameters: z.ZodType, args: JsonObject) {
  const book = gated('book', { parameters, parametersJsonSchema } as never)
  const { agent } = scripted([calls(['a', 'book', args]), 'Done.', 'Done.'], [book])
  const store = memoryStore()
  const paused = await run(agent, 'go', { threadId: 't', store })
  return { book, agent, store, paused, load: () => RunState.load(agent, { threadId: 't', store }) }
}

describe('what is shown is what the body gets', () => {
  test.each<[string, z.ZodType, JsonObject, JsonObject, boolean]>([
    ['a default', z.object({ n: z.string().default('EUR') }), {}, { n: 'EUR' }, false],
    ['a transform to another type', z.object({ n: z.string().transform(Number) }), { n: '5' }, { n: 5 }, true],
    [
      'a transform that would count again',
      z.object({ n: z.number().transform((n) => n + 1) }),
      { n: 1 },
      { n: 2 },
      true,
    ],
    ['another shape', z.object({ n: z.number() }).transform(({ n }) => ({ total: n })), { n: 1 }, { total: 1 }, true],
    [
      'a member that is undefined',
      z.object({ n: z.number() }).transform((v) => ({ ...v, x: undefined })),
      { n: 1 },
      { n: 1 },
      false,
    ],
    ['keys that the schema drops', z.object({ n: z.number() }), { n: 1, junk: 2 }, { n: 1 }, false],
    [
      'a nested default',
      z.object({ n: z.object({ a: z.string().default('x') }) }),
      { n: {} },
      { n: { a: 'x' } },
      false,
    ],
  ])('%s', async (_, parameters, sent, shown, hasInput) => {
    const { book, agent, paused, load } = await waiting(parameters, sent)
    const request = only(paused)
    expect(request.args).toEqual(shown)
    expect(request.argsInput).toEqual(hasInput ? sent : undefined)
    const state = await load()
    await state.approve(request)
    expect((await run(agent, state)).status).toBe('completed')
    expect(book.runs.map(({ args }) => args)).toEqual([shown])
  })

  test('rules, previews, preconditions and guardrails see it too', async () => {
    const seen: unknown[] = []
    const see = (args: unknown) => {
      seen.push(args)
      return 'ok'
    }
    const book = gated('book', {
      parameters: z.object({ n: z.string().transform(Number) }),
      needsApproval: (_context: unknown, args: unknown) => see(args) === 'ok',
      preview: see,
      preconditions: see,
      inputGuardrails: [
        { name: 'g', run: ({ args }: { args: unknown }) => ({ behavior: see(args) === 'ok' ? 'allow' : 'deny' }) },
      ],
    } as never)
    const { agent } = scripted([calls(['a', 'book', { n: '5' }]), 'Done.'], [book])
    const paused = await run(agent, 'go')
    await paused.state.approve(only(paused))
    await run(agent, paused.state)
    expect(seen.length).toBeGreaterThan(5)
    for (const args of seen) expect(args).toEqual({ n: 5 })
  })

  test('a schema whose code changed without its JSON Schema changing does not change what was approved', async () => {
    const { paused, store, load } = await waiting(z.object({ n: z.number() }), { n: 1 })
    await (await load()).approve(only(paused).id)
    const later = gated('book', {
      parameters: z.object({ n: z.number().transform((n) => n * 100) }),
      parametersJsonSchema,
    } as never)
    const { agent } = scripted(['Done.'], [later])
    expect((await run(agent, await RunState.load(agent, { threadId: 't', store }))).status).toBe('completed')
    expect(later.runs.map(({ args }) => args)).toEqual([{ n: 1 }])
  })

  test('a body cannot change what was recorded', async () => {
    const greedy = tool({
      name: 'book',
      description: '',
      parameters: z.object({ n: z.object({ deep: z.number() }) }),
      needsApproval: true,
      idempotent: true,
      execute: (args) => {
        args.n.deep += 1
        return String(args.n.deep)
      },
    })
    const { agent } = scripted([calls(['a', 'book', { n: { deep: 1 } }]), 'Done.'], [greedy])
    const paused = await run(agent, 'go')
    await paused.state.edit(only(paused), { args: { n: { deep: 5 } } })
    const done = await run(agent, paused.state)
    expect(JSON.stringify(done.state.messages)).toContain('What ran: book {\\"n\\":{\\"deep\\":5}}')
  })

  test.each<[string, z.ZodType, JsonObject]>([
    ['a Date', z.object({ when: z.string().transform((text) => new Date(text)) }), { when: '2026-01-02T00:00:00Z' }],
    ['a bigint', z.object({ n: z.number().transform(BigInt) }), { n: 1 }],
    ['a Map', z.object({ n: z.any() }).transform(() => ({ n: new Map() })), { n: 1 }],
    ['not a number', z.object({ n: z.string().transform(Number) }), { n: 'x' }],
    ['no object', z.object({ n: z.number() }).transform(({ n }) => n) as never, { n: 1 }],
  ])('%s cannot be shown: nobody is asked, and the developer is told what to do', async (_, parameters, args) => {
    const { paused, book } = await waiting(parameters, args)
    const error = failedWith(paused, ToolInvalid, 'tool_invalid')
    expect(error.message).toContain('convert them in execute')
    expect(paused.interruptions).toEqual([])
    expect(book.runs).toEqual([])
  })

  test('where the library tells what it yields, that is said when the tool is made', () => {
    const make = (parameters: z.ZodType) => () =>
      tool({ name: 'book', description: '', parameters: parameters as never, parametersJsonSchema, execute: () => '' })
    for (const parameters of [
      z.object({ when: z.coerce.date() }),
      z.object({ list: z.array(z.object({ n: z.coerce.bigint() })) }),
      z.object({ when: z.string().pipe(z.coerce.date()) }),
    ])
      expect(make(parameters)).toThrow(ToolInvalid)
    expect(make(z.object({ n: z.string().transform(Number), when: z.coerce.date().transform(String) }))).not.toThrow()
  })
})

describe('where a schema does not accept its own output', () => {
  const parameters = z.object({ n: z.string().transform(Number) })

  test('an edit takes the input’s form, and its output is what runs', async () => {
    const { book, agent, paused, load } = await waiting(parameters, { n: '5' })
    const state = await load()
    await expect(state.edit(only(paused), { args: { n: 7 } })).rejects.toThrow(/n:/)
    await state.edit(only(paused), { args: { n: '7' } })
    expect((await run(agent, state)).status).toBe('completed')
    expect(book.runs.map(({ args }) => args)).toEqual([{ n: 7 }])
  })

  test('also through a desk without the agent’s code', async () => {
    const { book, agent, paused, store, load } = await waiting(parameters, { n: '5' })
    const by = { kind: 'person', id: 'ann' } as const
    await openDesk({ store }).decide({ request: only(paused).id, decision: { type: 'edit', args: { n: '7' } }, by })
    expect((await run(agent, await load())).status).toBe('completed')
    expect(book.runs.map(({ args }) => args)).toEqual([{ n: 7 }])
  })
})

test('schemas of another library are treated alike', async () => {
  const parameters = {
    '~standard': {
      version: 1,
      vendor: 'own',
      validate: (value: unknown) => ({ value: { cents: Number((value as { euros: string }).euros) * 100 } }),
    },
  } as const
  const paid: unknown[] = []
  const pay = tool({
    name: 'pay',
    description: '',
    parameters: parameters as never,
    parametersJsonSchema: { type: 'object' },
    needsApproval: true,
    execute: (args) => {
      paid.push(args)
      return 'ok'
    },
  })
  const model = scriptedModel([calls(['a', 'pay', { euros: '3' }]), 'Done.'])
  const agent = new Agent({ name: 'a', model, tools: [pay] })
  const paused = await run(agent, 'go')
  expect(only(paused)).toMatchObject({ args: { cents: 300 }, argsInput: { euros: '3' } })
  await paused.state.approve(only(paused))
  await run(agent, paused.state)
  expect(paid).toEqual([{ cents: 300 }])
})

describe('a nested agent reads every argument that was approved', () => {
  const nested = async (args: JsonObject, parameters?: z.ZodType) => {
    const inner = scriptedModel(['Fine.'])
    const asTool = new Agent({ name: 'inner', model: inner }).asTool({
      needsApproval: true,
      ...(parameters ? { parameters } : {}),
    } as never)
    const { agent } = scripted([calls(['a', 'inner', args]), 'Done.'], [asTool])
    const paused = await run(agent, 'go')
    await paused.state.approve(only(paused))
    await run(agent, paused.state)
    return inner.requests[0]?.messages[0]?.content
  }

  test('not input alone', async () => {
    const said = await nested(
      { input: 'Refund it.', target: 'order-42' },
      z.object({ input: z.string(), target: z.string() }),
    )
    expect(JSON.parse(String(said))).toEqual({ input: 'Refund it.', target: 'order-42' })
  })

  test('input alone is passed on unchanged', async () => {
    expect(await nested({ input: 'Refund it.' })).toBe('Refund it.')
  })
})

test('a request that was stored when the input was recorded stays valid: it runs as it was meant then', async () => {
  const { book, agent, store, paused } = await waiting(z.object({ n: z.string().transform(Number) }), { n: '5' })
  expect(paused.status).toBe('interrupted')
  // The journal as it was written before arguments were recorded as the body gets them.
  const old = memoryStore()
  const { entries } = await store.read('t')
  const { callDigest } = await import('../../src/core/digest.ts')
  const bodies = entries.map(({ body }) => {
    const { asRun: _asRun, argsInput: _argsInput, ...entry } = JSON.parse(body)
    if (entry.type === 'call.judged' || entry.type === 'request.opened') {
      if (entry.type === 'request.opened') entry.args = { n: '5' }
      else delete entry.args
      entry.digest = callDigest({ tool: 'book', definition: entry.definition, args: { n: '5' } })
    }
    return entry
  })
  const opened = bodies.find(({ type }) => type === 'request.opened')
  const { projectRequests } = await import('../../src/core/views/project.ts')
  const outcome = await old.append({
    threadId: 't',
    entries: bodies.map((entry) => JSON.stringify(entry)),
    requests: projectRequests(bodies, 't'),
  })
  expect(outcome.ok).toBe(true)
  const state = await RunState.load(agent, { threadId: 't', store: old })
  expect(state.interruptions[0]).toMatchObject({ args: { n: '5' }, digest: opened.digest })
  await state.approve(state.interruptions[0]!)
  expect((await run(agent, state)).status).toBe('completed')
  expect(book.runs.map(({ args }) => args)).toEqual([{ n: 5 }])
})
