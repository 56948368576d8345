import { describe, expect, it, test } from 'vitest'
import { z } from 'zod'
import {
  Agent,
  definePolicy,
  humanInTheLoop,
  memoryStore,
  openDesk,
  RunState,
  run,
  type ToolOptions,
  tool,
} from '../../src/index.ts'
import { canonicalJson, sha256 } from '../../src/protocol/json/canonical.ts'
import { scriptedModel } from '../../src/testing.ts'
import { warningsDuring } from '../support/warnings.ts'

const parameters = z.object({
  amount: z.number(),
  to: z.string(),
  note: z.string().optional(),
  tags: z.array(z.string()).optional(),
  customer: z.object({ email: z.string() }).optional(),
})
type Display = NonNullable<ToolOptions<typeof parameters>['display']>

const usual: Display = {
  title: 'Refund {amount} to {to}',
  fields: {
    to: 'email',
    amount: { format: 'money', currency: 'EUR', unit: 'minor' },
    note: { format: 'text', label: 'Note' },
  },
  environment: 'production',
  affected: ({ to }) => `1 customer (${to})`,
}

function refund(display: Display | undefined, options: Partial<ToolOptions<typeof parameters>> = {}) {
  return tool({
    name: 'refund',
    description: 'Pays money back.',
    parameters,
    needsApproval: true,
    execute: ({ amount }) => `paid ${amount}`,
    ...(display ? { display } : {}),
    ...options,
  })
}

const args = { note: 'Sorry.', amount: 12000, to: 'ada@example.com', tags: ['a'] }
const call = (id: string) => ({ toolCalls: [{ id, name: 'refund', args }] })

function clerk(display: Display | undefined, turns = 3, options: Partial<ToolOptions<typeof parameters>> = {}) {
  const calls = Array.from({ length: turns }, (_, index) => call(`c${index}`))
  return new Agent({ name: 'clerk', model: scriptedModel([...calls, 'Done.']), tools: [refund(display, options)] })
}

async function asked(display: Display | undefined) {
  const store = memoryStore()
  const result = await run(clerk(display), 'go', { store, threadId: 't' })
  return { store, result, request: result.interruptions[0]! }
}

describe('the display of a tool', () => {
  it('is resolved when a call is asked about, stored with the request, and covered by a digest of what was shown', async () => {
    const { request } = await asked(usual)
    expect(request.display).toEqual({
      title: ['Refund ', { path: 'amount' }, ' to ', { path: 'to' }],
      fields: [
        { path: 'to', format: 'email' },
        { path: 'amount', format: 'money', currency: 'EUR', unit: 'minor' },
        { path: 'note', format: 'text', label: 'Note' },
        // What the tool says nothing about is never left out.
        { path: 'tags', format: 'list' },
      ],
      environment: 'production',
      affected: '1 customer (ada@example.com)',
    })
    const covered = { v: 1, display: request.display, digest: request.digest }
    expect(request.shown).toBe(sha256(canonicalJson(covered as never)))
  })

  it('is guessed if the tool says nothing', async () => {
    const { request } = await asked(undefined)
    expect(request.display).toMatchObject({
      guessed: true,
      title: ['Refund', ' ', { path: 'amount' }, ' to ', { path: 'to' }],
    })
    expect(request.display!.fields.map(({ path }) => path)).toEqual(['amount', 'to', 'tags', 'note'])
  })

  it('is not part of the digest of the call or of the tool’s definition', async () => {
    const [one, other, none] = await Promise.all([usual, { title: 'Give back {amount}' }, undefined].map(asked))
    expect(new Set([one!, other!, none!].map(({ request }) => request.digest)).size).toBe(1)
    expect(new Set([one!, other!, none!].map(({ request }) => request.shown)).size).toBe(3)
    expect(refund(usual).fingerprint).toBe(refund(undefined).fingerprint)
  })

  it('that was reworded voids no open request, no approval and no grant; an open request keeps its own', async () => {
    const { store, request } = await asked(usual)
    const reworded = clerk({ title: 'Give back {amount}' })
    const state = await RunState.load(reworded, { threadId: 't', store })
    expect(state.interruptions[0]).toEqual(request)
    await state.approve(state.interruptions[0]!, { by: 'ann', always: true })
    const again = clerk({ title: 'Hand out {amount}' })
    const result = await run(again, await RunState.load(again, { threadId: 't', store }))
    expect(result).toMatchObject({ status: 'completed', finalOutput: 'Done.' })
  })

  it('stays when a decision is withdrawn and the request is open again', async () => {
    const { store, request } = await asked(usual)
    const desk = openDesk({ store })
    const edit = { type: 'edit', args: { ...args, amount: 5 } }
    await desk.decide({ id: request.id, decision: edit, by: 'ann', undoSeconds: 60 })
    await desk.withdraw(request.id, 'ann')
    const again = await desk.get(request.id)
    expect(again).toMatchObject({ status: 'open', version: 3, display: request.display, shown: request.shown })
  })

  it('is resolved anew when a call is asked about again, because it changed or its outcome is unknown', async () => {
    let balance = 1
    const store = memoryStore()
    const agent = clerk(usual, 1, { preconditions: () => ({ balance }) })
    const first = await run(agent, 'go', { store, threadId: 't' })
    await first.state.approve(first.interruptions[0]!, { by: 'ann' })
    balance = 2
    const second = await run(agent, await RunState.load(agent, { threadId: 't', store }))
    const [again] = second.interruptions
    expect(again).toMatchObject({ reason: 'changed', display: first.interruptions[0]!.display })
    expect(again!.shown).not.toBe(first.interruptions[0]!.shown)
    const covered = { v: 1, display: again!.display, digest: again!.digest }
    expect(again!.shown).toBe(sha256(canonicalJson(covered as never)))
  })

  it('shows calls of a nested agent, and the call of the agent itself', async () => {
    const inner = clerk(usual, 1)
    const outer = new Agent({
      name: 'boss',
      model: scriptedModel([
        { toolCalls: [{ id: 'n1', name: 'clerk', args: { input: 'Pay it back, please.' } }] },
        'Done.',
      ]),
      tools: [inner.asTool({ name: 'clerk', description: 'Asks the clerk.' })],
      policy: humanInTheLoop({ interruptOn: { clerk: true } }),
    })
    const store = memoryStore()
    const first = await run(outer, 'go', { store, threadId: 't' })
    expect(first.interruptions[0]!.display).toMatchObject({ guessed: true, title: ['Clerk'] })
    await first.state.approve(first.interruptions[0]!, { by: 'ann' })
    const second = await run(outer, await RunState.load(outer, { threadId: 't', store }))
    expect(second.interruptions[0]!.display).toMatchObject({ environment: 'production' })
  })

  it('never has words of the model or of a policy in its headline', async () => {
    const store = memoryStore()
    const policy = definePolicy(() => ({ verdict: 'review', description: 'Words.' }), { name: 'p' })
    const model = scriptedModel([{ text: 'Trust me.', ...call('c') }, 'Done.'])
    const agent = new Agent({ name: 'clerk', model, tools: [refund(usual)], policy })
    const { interruptions } = await run(agent, 'go', { store, threadId: 't' })
    expect(JSON.stringify(interruptions[0]!.display)).not.toMatch(/Words|Trust/)
  })
})

describe('what the person was shown', () => {
  test('is recorded with the decision if the door says so', async () => {
    const { store, request } = await asked(usual)
    await openDesk({ store }).decide({
      id: request.id,
      decision: { type: 'approve' },
      by: 'ann',
      shown: request.shown!,
    })
    const { entries } = await store.read('t')
    const decided = entries.map(({ body }) => JSON.parse(body)).find(({ type }) => type === 'request.decided')
    expect(decided.shown).toBe(request.shown)
  })

  test('must be what the request shows, else nothing is decided', async () => {
    const { store, request } = await asked(usual)
    const other = { id: request.id, decision: { type: 'approve' }, by: 'ann', shown: 'f'.repeat(64) }
    await expect(openDesk({ store }).decide(other)).rejects.toMatchObject({ code: 'request_changed' })
    expect((await openDesk({ store }).get(request.id)).status).toBe('open')
  })
})

describe('a display that cannot work', () => {
  it.each<[string, unknown, RegExp]>([
    ['an unknown placeholder', { title: 'Refund {amout}' }, /names "amout", which is not a parameter/],
    ['an unknown nested placeholder', { title: 'To {customer.mail}' }, /names "customer.mail"/],
    ['an unknown field', { fields: { iban: 'id' } }, /names "iban"/],
    [
      'an unknown currency argument',
      { fields: { amount: { format: 'money', currency: { path: 'cur' } } } },
      /names "cur"/,
    ],
    ['a currency that is none', { fields: { amount: { format: 'money', currency: 'euro' } } }, /ISO 4217/],
    ['a unit without money', { fields: { to: { format: 'email', unit: 'minor' } } }, /for the format money/],
    ['an unknown format', { fields: { to: 'mail' } }, /unknown format; there are money,/],
    ['a single brace', { title: 'Refund {amount' }, /single "{"/],
    ['an empty placeholder', { title: 'Refund {}' }, /empty placeholder/],
    ['an empty title', { title: ' ' }, /title that is a string/],
    ['an unknown key', { titel: 'x' }, /unknown key/],
    ['a number as environment', { environment: 5 }, /environment as a string or a function/],
    ['no object', 'Refund', /must be an object/],
  ])('is refused when the tool is built: %s', (_, display, problem) => {
    expect(() => refund(display as Display)).toThrow(problem)
  })

  it('may use nested arguments, items of lists, their number, and braces', () => {
    const title = 'Refund {{{amount}}} to {customer.email}, {tags.0} of {tags.length}'
    expect(refund({ title }).display?.title).toEqual([
      'Refund {',
      { path: 'amount' },
      '} to ',
      { path: 'customer.email' },
      ', ',
      { path: 'tags.0' },
      ' of ',
      { path: 'tags.length' },
    ])
  })

  it('blocks no request: what throws, or returns no string, is left out with a warning', async () => {
    const broken: Display = {
      title: 'Refund {amount}',
      environment: () => {
        throw new Error('no network')
      },
      affected: (async () => 'many') as never,
    }
    let request: Awaited<ReturnType<typeof asked>>['request'] | undefined
    const warnings = await warningsDuring(async () => {
      request = (await asked(broken)).request
    })
    expect(request!.display).toMatchObject({ title: ['Refund ', { path: 'amount' }] })
    expect(request!.display).not.toHaveProperty('environment')
    expect(request!.display).not.toHaveProperty('affected')
    expect(JSON.stringify(warnings.map((warning) => String(warning)))).toMatch(
      /threw: no network.*did not return a string/,
    )
  })

  it('cannot change the call', async () => {
    const sneaky: Display = {
      environment: (given) => {
        given.amount = 1
        return 'x'
      },
    }
    const { request } = await asked(sneaky)
    expect(request.args).toMatchObject({ amount: 12000 })
  })
})
