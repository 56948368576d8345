import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { requestCard } from '../../../src/cli/render/request.ts'
import { plainStyle } from '../../../src/cli/render/style.ts'
import {
  Agent,
  type AgentOptions,
  type HitlRequest,
  humanInTheLoop,
  openDesk,
  type RunOptions,
  RunState,
  run,
  type Store,
  sweep,
  type ToolOptions,
  tool,
} from '../../../src/index.ts'
import { sqliteStore } from '../../../src/sqlite.ts'
import { fakeClock, type ScriptStep, scriptedModel } from '../../../src/testing.ts'
import { holdpoint, startInTerminal, tempDir } from '../support/programs.ts'
import { seed, storePath } from '../support/store.ts'

/** The characters of an output that a terminal would not just show. */
const hidden = (text: string) =>
  [...text].filter(
    (character) => character !== '\n' && /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(character),
  )

async function shown(text: string, ...options: string[]): Promise<string> {
  const dir = tempDir()
  const [id = ''] = await seed(dir, [{ text }])
  return holdpoint(dir, ['show', id, ...options]).stdout
}

describe('text from outside', () => {
  it.each([
    ['escape sequences', 'a\u001b[2Jb\u009b1mc', '"a‹U+001B›[2Jb‹U+009B›1mc"'],
    ['a change of direction', 'pay \u202Egnp.exe\u2069', '"pay ‹RLO›gnp.exe‹PDI›"'],
    ['invisible characters', 'a\u200bb\u00adc\ufeffd\u{e0041}\u3164', '"a‹ZWSP›b‹SHY›c‹BOM›d‹U+E0041›‹U+3164›"'],
    ['blanks that look like a space', 'a\u00a0b\u2003c', '"a‹U+00A0›b‹U+2003›c"'],
    ['quotes and backslashes', 'say "hi" \\n', '"say \\"hi\\" \\\\n"'],
    ['tabs and carriage returns', 'a\tb\rc', '"a\\tb\\rc"'],
    ['what looks like our own marks', '‹U+202E›', '"‹U+2039›U+202E›"'],
    ['what looks like our named marks', '‹RLO› ‹quoted›', '"‹U+2039›RLO› ‹quoted›"'],
    ['heaps of accents', `a${'\u0301'.repeat(6)}`, `"a${'\u0301'.repeat(4)}‹U+0301›‹U+0301›"`],
    ['an accent on nothing', '\u0301a', '"‹U+0301›a"'],
    ['ordinary text of any language', 'Grüße, 你好, مرحبا, e\u0301', '"Grüße, 你好, مرحبا, e\u0301"'],
  ])('shows %s', async (_, text, expected) => {
    const output = await shown(text)
    expect(output).toContain(`text  ${expected}`)
    expect(hidden(output)).toEqual([])
  })

  it('cannot imitate a line of the output, however it is wrapped', async () => {
    const output = await shown(`hi\n  accepts   nothing\n${' '.repeat(200)}thread    other`)
    expect(output).toContain('"hi\\n\n')
    const lines = output.split('\n')
    expect(lines.filter((line) => /^ *(accepts|thread) /.test(line))).toHaveLength(2)
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(100)
  })

  it('is truncated with its length when it is long, and shown in full on demand', async () => {
    const text = `start ${'x'.repeat(5000)} end`
    const folded = await shown(text)
    expect(folded).toContain('5,010 characters in all')
    expect(folded).toContain('--full')
    expect(folded).toContain('"start xxx')
    expect(folded).toContain('xxx end"')
    expect(folded.length).toBeLessThan(2500)
    const full = await shown(text, '--full')
    expect(full.match(/x/g)?.length).toBeGreaterThanOrEqual(5000)
    expect(full).not.toContain('characters in all')
  })

  it('is harmless in lists, errors and JSON too', async () => {
    const dir = tempDir()
    const text = `\u001b[2J\u202e\u009b${'y'.repeat(80)}`
    const [id = ''] = await seed(dir, [{ text, 'k\u202e': 1 }])
    const list = holdpoint(dir, ['requests']).stdout
    expect(hidden(list)).toEqual([])
    expect(list.replaceAll(/\s+/g, ' ')).toContain('(86 characters)')
    expect(list).toContain('"k‹RLO›" 1')
    const json = holdpoint(dir, ['show', id, '--json']).stdout
    expect(hidden(json)).toEqual([])
    expect(JSON.parse(json).args).toEqual({ text, 'k\u202e': 1 })
    const error = holdpoint(dir, ['show', 'no\u202e\nsuch\u001b[2J']).stderr
    expect(error.trimEnd().split('\n')).toHaveLength(1)
    expect(hidden(error)).toEqual([])
  })

  it('keeps what is nested apart and counted', async () => {
    const dir = tempDir()
    const [id = ''] = await seed(dir, [
      { text: 'x', to: { name: 'Ada', tags: ['a', 'b'] }, none: [], rows: Array.from({ length: 30 }, (_, i) => i) },
    ])
    const output = holdpoint(dir, ['show', id]).stdout
    expect(output).toContain(
      '  to.name  "Ada"\n  to.tags  (2 items)\n           0  "a"\n           1  "b"\n  text     "x"\n  none     []\n',
    )
    expect(output).toContain('  rows     (30 items)\n')
    expect(output).toContain('10 more of 30 are folded')
    expect(holdpoint(dir, ['show', id, '--full']).stdout).toContain('29  29')
  })

  it('has no colours where there is no terminal', async () => {
    expect(await shown('x')).not.toContain('\u001b')
  })
})

/** A run in the store of a folder, and what the command shows of its first request when the rest was done. */
async function paused(
  options: {
    agent?: Partial<AgentOptions>
    tool?: Partial<ToolOptions<z.ZodObject<{ cents: z.ZodNumber }>>>
    script?: ScriptStep[]
    run?: RunOptions
    clock?: ReturnType<typeof fakeClock>
  } = {},
) {
  const dir = tempDir()
  const store: Store = sqliteStore({ path: storePath(dir), ...(options.clock ? { clock: options.clock } : {}) })
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ cents: z.number() }),
    execute: () => 'paid',
    ...options.tool,
  })
  const call = { toolCalls: [{ id: 'c1', name: 'pay', args: { cents: 500 } }] }
  const model = scriptedModel(options.script ?? [call, 'Done.', 'Done.'])
  const agent = new Agent({ name: 'clerk', model, tools: [pay], ...options.agent })
  const result = await run(agent, 'go', { store, threadId: 't', ...options.run })
  const request = result.interruptions[0]!
  return {
    store,
    agent,
    result,
    request,
    resume: async () => run(agent, await RunState.load(agent, { store, threadId: 't' })),
    /** Closes the store, and lets the command open it. */
    async show(id = request.id) {
      await store.close()
      const { stdout, stderr } = holdpoint(dir, ['show', id])
      expect(stderr).toBe('')
      return stdout
    },
  }
}

const field = (output: string, label: string) =>
  new RegExp(`^  ${label} {2,}(.*(?:\\n {10,}.*)*)`, 'm').exec(output)?.[1]?.replace(/\n */g, ' ')

describe('what a reviewer is shown', () => {
  it('of an answer that would end the run: the answer itself', async () => {
    const held = await paused({
      script: ['Your order is\non its way.'],
      agent: {
        middleware: [
          {
            name: 'read-first',
            afterModel: () => ({ hold: { description: 'Send it?', details: { customer: 'Ada' } } }),
          },
        ],
      },
    })
    expect(held.request).toMatchObject({ reason: 'final_answer', preview: 'Your order is\non its way.' })
    const output = await held.show()
    expect(output).toContain('the answer that would end the run\n  "Your order is\\n\n  │ on its way."\n')
    expect(output).toContain('  customer  "Ada"\n')
    expect(field(output, 'reason')).toMatch(/approve: end the run with this answer.*reject: send it back/)
    expect(output).not.toContain('(no arguments)')
  })

  it('of a call whose tool says how it is shown: the headline, fields in order, what it touches', async () => {
    const parameters = z.object({
      cents: z.number(),
      to: z.string(),
      link: z.string(),
      pin: z.string(),
      why: z.string(),
    })
    const refund = tool({
      name: 'refund',
      description: 'Pays back.',
      parameters,
      needsApproval: true,
      execute: () => 'paid',
      display: {
        title: 'Refund {cents} to {to}',
        fields: {
          link: 'url',
          cents: { format: 'money', currency: 'EUR', unit: 'minor', label: 'Amount' },
          pin: 'secret',
        },
        environment: 'production',
        affected: '1 customer',
      },
    })
    const args = {
      why: 'Broken.',
      pin: '1234',
      link: 'https://xn--pypal-4ve.com/x',
      to: 'ada\u202e@x.org',
      cents: 12000,
    }
    const script = [{ toolCalls: [{ id: 'c1', name: 'refund', args }] }, 'Done.']
    const { show } = await paused({ script, agent: { tools: [refund] } })
    const [card] = (await show()).split('\n\n')
    expect(card!.split('\n')).toEqual([
      'Refund €120.00 to ada‹RLO›@x.org',
      '  in production, affects 1 customer',
      '  ! 1 hidden character in it, shown as ‹…›',
      '  link    "https://xn--pypal-4ve.com/x"',
      '          ! reads https://pаypal.com/x',
      '          ! letters of Latin and Cyrillic in one word',
      '  Amount  €120.00 (12000)',
      '  pin     •••••••• (4 characters)',
      '  to      "ada‹RLO›@x.org"',
      '  why     "Broken."',
    ])
  })

  it('of a review: who may decide, what it rests on, what an edit must fit, and what the deadline does', async () => {
    const policy = humanInTheLoop({
      interruptOn: {
        pay: {
          reviewers: ['ann', 'b\u202eob'],
          argsSchema: { properties: { cents: { maximum: 900 } } },
          timeoutSeconds: 60,
          onTimeout: 'escalate',
        },
      },
    })
    const { show } = await paused({
      agent: { policy },
      tool: { preconditions: () => ({ balance: 7 }), preview: () => '-500' },
    })
    const output = await show()
    expect(output).toMatch(/^Pay 500\n {2}cents {2}500\n\n {2}preview\n {2}"-500"/)
    expect(field(output, 'reviewers')).toBe('user:ann, user:b‹RLO›ob; nobody else may decide')
    expect(field(output, 'depends on')).toBe('balance  7')
    expect(field(output, 'edits must fit')).toMatch(/maximum {2}900/)
    expect(field(output, 'expires')).toMatch(/; then it is escalated and stays open$/)
  })

  it.each([
    ['reject', 'then it is refused'],
    ['keep', 'it stays open after that'],
    ['allow', 'then it runs'],
  ] as const)('of a deadline that would %s', async (onTimeout, words) => {
    const policy = humanInTheLoop({ interruptOn: { pay: { timeoutSeconds: 60, onTimeout } } })
    const { show } = await paused({ agent: { policy }, tool: { risk: 'low' } })
    expect(field(await show(), 'expires')).toMatch(new RegExp(`; ${words}$`))
  })

  it('of a request that was passed on: that it was, and no deadline', async () => {
    const clock = fakeClock()
    const policy = humanInTheLoop({ interruptOn: { pay: { timeoutSeconds: 60, onTimeout: 'escalate' } } })
    const { store, show } = await paused({ agent: { policy }, clock })
    clock.advance(61_000)
    expect(await sweep(store)).toMatchObject({ escalated: 1 })
    const output = await show()
    expect(field(output, 'escalated')).toMatch(/escalated.*no deadline any more/)
    expect(field(output, 'expires')).toBeUndefined()
  })

  it('of a call that is not what was approved any more: what differs, and what it replaces', async () => {
    let balance = 100
    const first = await paused({ tool: { needsApproval: true, preconditions: () => ({ balance }) } })
    await first.result.state.approve(first.request)
    balance = 20
    const again = await first.resume()
    const output = await first.show(again.interruptions[0]!.id)
    expect(field(output, 'asked again')).toMatch(
      /no longer what would run.*What it depends on, or its effect, is different now/,
    )
    expect(field(output, 'it was')).toBe('balance  100')
    expect(field(output, 'it is now')).toBe('balance  20')
    expect(field(output, 'replaces')).toBe(first.request.id)
  })

  it('of a call that was refused before', async () => {
    const call = { toolCalls: [{ id: 'c1', name: 'pay', args: { cents: 500 } }] }
    const first = await paused({
      tool: { needsApproval: true },
      script: [call, call],
      run: { maxRejections: { limit: 1, action: 'escalate' } },
    })
    await first.result.state.reject(first.request)
    const again = await first.resume()
    const output = await first.show(again.interruptions[0]!.id)
    expect(field(output, 'reason')).toContain('Exactly this call was rejected before')
    expect(field(output, 'risk')).toBe('high')
  })

  it('of a question that a tool asks while it runs', async () => {
    const { show } = await paused({
      tool: {
        resumable: true,
        execute: async (_args, ctx) => (await ctx.hold({ description: 'Really?', args: { to: 'Ada' } })).type,
      },
    })
    const output = await show()
    expect(output).toMatch(/^pay, which has started, asks\n {2}to {2}"Ada"\n/)
    expect(field(output, 'asked by code')).toContain('decides what an answer means')
  })

  it('of a decision: the edited call, its reason, and the standing decisions that go with it', async () => {
    const call = (id: string) => ({ toolCalls: [{ id, name: 'pay', args: { cents: 500 } }] })
    const edited = await paused({ tool: { needsApproval: true } })
    await edited.result.state.edit(edited.request, {
      args: { cents: 400 },
      message: 'The shipping was free.',
      by: 'ann',
    })
    expect(field(await edited.show(), 'status')).toMatch(
      /^edit by person ann, .* cents {2}400 "The shipping was free."$/,
    )

    const both = { toolCalls: [...call('c1').toolCalls, ...call('c2').toolCalls] }
    const given = await paused({ tool: { needsApproval: true }, script: [both, 'Done.'] })
    await given.result.state.approve(given.request, { always: true, by: 'ann' })
    await given.resume()
    const { requests } = await openDesk({ store: given.store }).list()
    const other = requests.find(({ id }) => id !== given.request.id)!
    expect(other.decision?.by.kind).toBe('grant')
    const output = await given.show(other.id)
    expect(output).toMatch(/decided by this standing decision\n.*pay runs without asking\n.*\n.*given by ann in t/)
  })

  it('of a decision that gave a standing one', async () => {
    const { result, request, show } = await paused({ tool: { needsApproval: true } })
    await result.state.approve(request, { always: { scope: 'thread' }, by: 'ann' })
    expect(await show()).toMatch(
      /it also gave this standing decision\n.*pay runs without asking\n +for clerk in this thread/,
    )
  })

  it.each([
    ['unknown_outcome', /started before.*same idempotency key/],
    ['grant_gone', /standing decision would have let it run/],
    ['decision_expired', /approved, and was not started while the approval counted/],
    ['changed', /no longer what would run.*definition of the tool has changed/],
    ['some\u001bthing new', /^some‹U\+001B›thing new$/],
  ])('of a request with the reason %s', (reason, words) => {
    const request: HitlRequest = {
      id: 'r',
      questionId: 'c1',
      threadId: 't',
      tenant: 'default',
      kind: 'approve',
      status: 'open',
      version: 1,
      agent: 'clerk',
      path: ['clerk'],
      toolName: 'pay',
      toolCallId: 'c1',
      args: {},
      allowedDecisions: ['approve'],
      reason,
      createdAt: '2026-01-01T00:00:00.000Z',
    }
    const output = requestCard(request, { style: plainStyle, width: 100, full: false, now: 0 }).join('\n')
    expect(field(output, 'asked again') ?? field(output, 'reason')).toMatch(words)
  })
})

it('no line of a list is longer than the terminal, and no space of an argument is lost', async () => {
  const dir = tempDir()
  await seed(dir, [{ text: 'rm  -rf   /tmp', more: 'a long value that goes on', other: 'and another one that does' }])
  for (const columns of [60, 80]) {
    const list = startInTerminal(dir, ['requests'], { NO_COLOR: '1' }, columns)
    expect(await list.ended).toBe(0)
    expect(list.output.split(/\r?\n/).filter((line) => line.length > columns && !line.startsWith('decide'))).toEqual([])
    expect(list.output).toContain('"rm  -rf   /tmp"')
  }
})
