import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, RunState, run, type Store, tool } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/sqlite.ts'
import { scriptedModel } from '../../../src/testing.ts'
import { usePostgres } from '../../support/servers/use-postgres.ts'
import { unsyncedPostgres } from '../../support/stores/unsynced-postgres.ts'
import { holdpoint, tempDir } from '../support/programs.ts'
import { storePath } from '../support/store.ts'

const server = usePostgres()

const places: [string, (dir: string) => { store: Store; env: Record<string, string> }][] = [
  ['SQLite', (dir) => ({ store: sqliteStore({ path: storePath(dir) }), env: {} })],
  [
    'Postgres',
    () => {
      const { connectionString } = server.get()
      return { store: unsyncedPostgres({ connectionString }), env: { HOLDPOINT_STORE: connectionString } }
    },
  ],
]

describe.each(places)('withdraw, with a store in %s', (_, open) => {
  /** A run that waits for a decision about `pay` and for the answer to a question. */
  async function waiting() {
    const dir = tempDir()
    const { store, env } = open(dir)
    let paid = 0
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      parameters: z.object({}),
      needsApproval: true,
      execute: () => `paid ${++paid}`,
    })
    const ask = tool({
      name: 'ask',
      description: 'Asks.',
      parameters: z.object({}),
      resumable: true,
      execute: async (_args, ctx) => String(await ctx.confirm('Really?')),
    })
    const toolCalls = ['pay', 'ask'].map((name) => ({ id: name, name, args: {} }))
    const agent = new Agent({ name: 'payer', model: scriptedModel([{ toolCalls }, 'Done.']), tools: [pay, ask] })
    const threadId = `withdraw-${crypto.randomUUID()}`
    const { interruptions } = await run(agent, 'Go.', { store, threadId })
    return {
      call: (...args: string[]) => holdpoint(dir, args, env),
      id: interruptions.find(({ kind }) => kind === 'approve')?.id ?? '',
      question: interruptions.find(({ kind }) => kind === 'confirm')?.id ?? '',
      resume: async () => run(agent, await RunState.load(agent, { store, threadId })),
      paid: () => paid,
      close: () => store.close(),
    }
  }

  it('takes a decision back inside its undo window: it never takes effect, and the next one does', async () => {
    const { call, id, question, resume, paid, close } = await waiting()
    const approved = call('approve', id, '--as', 'ann', '--undo', '1h')
    expect(approved.stdout).toContain(`npx holdpoint withdraw ${id}`)
    const withdrawn = call('withdraw', id.slice(-8), '--as', 'ann')
    expect(withdrawn).toMatchObject({ code: 0, stderr: '' })
    expect(withdrawn.stdout).toBe('Withdrawn by ann:\n  pay\nThe request is open again, at version 3.\n')
    expect(call('requests').stdout).toContain(id)

    expect(call('approve', id, '--as', 'bob', '--undo', '1h').code).toBe(0)
    const json = call('withdraw', id, '--as', 'bob', '--json')
    expect(JSON.parse(json.stdout)).toMatchObject({ id, status: 'open', version: 5 })
    expect(call('reject', id, '--message', 'Not today.').code).toBe(0)
    expect(call('answer', question, 'yes').code).toBe(0)
    expect((await resume()).status).toBe('completed')
    expect(paid()).toBe(0)
    await close()
  })

  it('refuses what is open, not yours, a question, already started, or unknown, and says which', async () => {
    const { call, id, question, resume, paid, close } = await waiting()
    const open = call('withdraw', id)
    expect(open).toMatchObject({ code: 1, stdout: '' })
    expect(open.stderr).toBe(`error: Request ${id} is open: there is no decision to take back. [nothing_to_withdraw]\n`)
    call('approve', id, '--as', 'ann')
    expect(call('withdraw', id, '--as', 'bob').stderr).toMatch(
      /^error: Only ann, who decided request .* \[decision_not_allowed\]\n$/,
    )
    call('answer', question, 'yes')
    expect(call('withdraw', question).stderr).toContain('is a question, and an answer takes effect at once.')
    await resume()
    expect(paid()).toBe(1)
    const late = call('withdraw', id, '--as', 'ann', '--json')
    expect(late).toMatchObject({ code: 1, stdout: '' })
    expect(JSON.parse(late.stderr).error).toMatchObject({
      code: 'stale_answer',
      message: expect.stringContaining('has taken effect'),
    })
    expect(call('withdraw', 'ffff-none').stderr).toContain('[no_pending_request]')
    expect(call('withdraw')).toMatchObject({ code: 2, stderr: expect.stringContaining('withdraw needs ID') })
    await close()
  })
})
