import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, humanInTheLoop, RunState, run, tool } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/sqlite.ts'
import { scriptedModel } from '../../../src/testing.ts'
import { holdpoint, requestId, start, tempDir } from '../support/programs.ts'
import { seed, storePath } from '../support/store.ts'

describe('deciding from the command line', () => {
  it('shows what the body gets and what the model sent, and edits the form that the schema takes', async () => {
    const dir = tempDir()
    const store = sqliteStore({ path: storePath(dir) })
    const ran: unknown[] = []
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      parameters: z.object({ euros: z.string().transform((text) => Number(text) * 100) }),
      needsApproval: true,
      execute: (args) => {
        ran.push(args)
        return 'paid'
      },
    })
    const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'pay', args: { euros: '5' } }] }, 'Done.'])
    const agent = new Agent({ name: 'payer', model, tools: [pay] })
    const { interruptions } = await run(agent, 'Go.', { store, threadId: 't' })
    const { id } = interruptions[0]!
    const { stdout } = holdpoint(dir, ['show', id])
    expect(stdout).toContain('500')
    expect(stdout).toMatch(/an edit changes.*euros/)
    const edited = holdpoint(dir, ['edit', id, '--set', 'euros=7'])
    expect(edited).toMatchObject({ code: 0 })
    expect((await run(agent, await RunState.load(agent, { threadId: 't', store }))).status).toBe('completed')
    expect(ran).toEqual([{ euros: 700 }])
    await store.close()
  })

  it('refuses an edit that the schema refuses, and the request stays open', async () => {
    const dir = tempDir()
    const demo = start(dir, ['demo'])
    const id = requestId(await demo.shows('Waiting.'))
    const refused = holdpoint(dir, ['edit', id, '--set', 'amountCents=-5'])
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(/^error: .*amountCents.*still open\. \[edit_invalid\]\n$/)
    expect(holdpoint(dir, ['show', id]).stdout).toContain('accepts')
  })

  it('opens the request again, with the reason, when only the tool itself can tell that an edit is wrong', async () => {
    const dir = tempDir()
    const demo = start(dir, ['demo'])
    const shown = await demo.shows('Waiting.')
    const id = requestId(shown)
    const accepted = holdpoint(dir, ['edit', id, '--set', 'amountCents=99000'])
    expect(accepted).toMatchObject({ code: 0, stdout: expect.stringContaining('If not, the request opens again') })
    const again = await demo.shows('Waiting.', shown.length)
    expect(again).toMatch(/edit refused +amountCents: must not be more than was paid for the order/)
    expect(requestId(again)).toBe(id)
    expect(holdpoint(dir, ['show', id]).stdout).toContain('must not be more than was paid')
    expect(holdpoint(dir, ['approve', id]).code).toBe(0)
    expect(await demo.ended).toBe(0)
    expect(demo.output).toContain('I refunded EUR 120.00')
  })

  it('lets the first of two people decide and tells the second who was faster', async () => {
    const dir = tempDir()
    const [id = ''] = await seed(dir, [{ text: 'hi' }])
    expect(holdpoint(dir, ['approve', id, '--as', 'ada']).code).toBe(0)
    const second = holdpoint(dir, ['approve', id, '--as', 'bob'])
    expect(second).toMatchObject({ code: 1, stdout: '' })
    expect(second.stderr).toMatch(/^error: .*already decided \(approve\) by person ada at .* \[stale_answer\]\n$/)
    const short = holdpoint(dir, ['reject', id.slice(-8), '--as', 'bob'])
    expect(short.stderr).toContain('[stale_answer]')
  })

  it('names the tool and what is accepted when a decision is not allowed', async () => {
    const dir = tempDir()
    const store = sqliteStore({ path: storePath(dir) })
    const pay = tool({ name: 'pay', description: 'Pays.', parameters: z.object({}), execute: () => 'paid' })
    const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'pay', args: {} }] }])
    const policy = humanInTheLoop({ interruptOn: { pay: { allowedDecisions: ['approve', 'reject'] } } })
    const { interruptions } = await run(new Agent({ name: 'payer', model, tools: [pay], policy }), 'Go.', { store })
    await store.close()
    const { id } = interruptions[0]!
    expect(holdpoint(dir, ['respond', id, '--message', 'x'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `error: Request ${id} about pay does not accept "respond". It accepts: approve, reject. [decision_not_allowed]\n`,
    })
  })

  it('binds a decision to the version and digest that were read, and recognises a repeat by its key', async () => {
    const dir = tempDir()
    const [id = ''] = await seed(dir, [{ text: 'hi' }])
    const { digest } = JSON.parse(holdpoint(dir, ['show', id, '--json']).stdout) as { digest: string }
    expect(holdpoint(dir, ['approve', id, '--version', 'x']).code).toBe(2)
    expect(holdpoint(dir, ['approve', id, '--version', '2']).stderr).toContain('open at version 1 now')
    expect(holdpoint(dir, ['approve', id, '--digest', 'f'.repeat(64)]).stderr).toContain('[request_changed]')
    const bound = ['approve', id, '--version', '1', '--digest', digest, '--undo', '60s', '--idempotency-key', 'k1']
    expect(holdpoint(dir, bound).code).toBe(0)
    expect(holdpoint(dir, bound)).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing to do') })
    expect(holdpoint(dir, ['reject', id, '--idempotency-key', 'k1']).stderr).toContain('[idempotency_key_reused]')
  })

  it('accepts the same answer of the same person as done', async () => {
    const dir = tempDir()
    const [id = ''] = await seed(dir, [{ text: 'hi' }])
    expect(holdpoint(dir, ['approve', id]).code).toBe(0)
    const again = holdpoint(dir, ['approve', id])
    expect(again.code).toBe(0)
    expect(again.stdout).toContain('nothing to do')
  })

  it('finds a request by the beginning or the end of its id, and lists the candidates when that is not clear', async () => {
    const dir = tempDir()
    const ids = await seed(dir, [{ text: 'one' }, { text: 'two' }])
    const [first = '', second = ''] = ids
    expect(holdpoint(dir, ['show', first.slice(-6)]).stdout).toContain(first)
    expect(holdpoint(dir, ['show', second.slice(0, -1)]).stdout).toContain(second)
    const both = holdpoint(dir, ['approve', first.slice(0, 4)])
    expect(both).toMatchObject({ code: 1, stdout: '' })
    expect(both.stderr).toContain('[id_ambiguous]')
    for (const id of ids) expect(both.stderr).toContain(id)
    expect(holdpoint(dir, ['approve', first.slice(-3)]).stderr).toContain('[id_too_short]')
    expect(holdpoint(dir, ['approve', 'ffff-none']).stderr).toContain('[no_pending_request]')
    expect(JSON.parse(holdpoint(dir, ['requests', '--json']).stdout).requests).toHaveLength(2)
  })

  it('takes arguments as JSON, fields by path, and refuses what would be rounded or changes nothing', async () => {
    const dir = tempDir()
    const args = { text: 'hi', count: 1, to: { name: 'Ada', tags: ['a', 'b'] }, 'a.b': 'flat' }
    const [id = ''] = await seed(dir, [args])
    const rounded = holdpoint(dir, ['edit', id, '--set', 'count=12345678901234567890'])
    expect(rounded).toMatchObject({ code: 2, stderr: expect.stringContaining('is not JSON') })
    expect(holdpoint(dir, ['edit', id, '--args', '{"text":']).code).toBe(2)
    expect(holdpoint(dir, ['edit', id, '--set', 'to.none.x=1']).stderr).toContain('there is no to.none.x')
    expect(holdpoint(dir, ['edit', id, '--set', 'text=hi']).stderr).toContain('[nothing_changed]')
    const sets = ['text=42', 'count=2', 'to.name=Bob', 'to.tags.1=c', 'a.b=x', 'more:={"deep":true}', 'word=plain']
    const why = ['--message', 'Bob asked for it.']
    const edited = holdpoint(dir, ['edit', id, '--json', ...why, ...sets.flatMap((each) => ['--set', each])])
    expect(edited.code).toBe(0)
    expect(JSON.parse(edited.stdout).decision.message).toBe('Bob asked for it.')
    expect(JSON.parse(edited.stdout).decision.args).toEqual({
      text: '42',
      count: 2,
      to: { name: 'Bob', tags: ['a', 'c'] },
      'a.b': 'x',
      more: { deep: true },
      word: 'plain',
    })
  })

  it('records who decided, how, and why', async () => {
    const dir = tempDir()
    const [id = ''] = await seed(dir, [{ text: 'hi' }])
    const decided = JSON.parse(
      holdpoint(dir, ['reject', id, '--json', '--message', 'no'], { HOLDPOINT_USER: 'eve' }).stdout,
    )
    expect(decided).toMatchObject({
      status: 'decided',
      decision: { type: 'reject', message: 'no', by: { kind: 'person', id: 'eve', via: 'cli' } },
    })
    expect(holdpoint(dir, ['requests', '--status', 'decided']).stdout).toContain('reject by eve')
  })
})
