import { expect, test } from 'vitest'
import { z } from 'zod'
import { Agent, openDesk, RunState, type Store, toActionRequests, tool } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/sqlite.ts'
import { scriptedModel } from '../../../src/testing.ts'
import { application } from '../../support/agents/remote-application.ts'
import { holdpoint, tempDir } from '../support/programs.ts'
import { storePath } from '../support/store.ts'

const MARK = 'PRIVATE'

/** What a later release might store with a request: another member of the entry, and of everything inside it that has a schema. */
function storingMore(store: Store): Store {
  return {
    ...store,
    append: (append) => store.append({ ...append, entries: append.entries.map(withMore) }),
    read: (...given) => store.read(...given),
  } as Store
}

function withMore(body: string): string {
  const entry = JSON.parse(body) as Record<string, unknown>
  if (!String(entry.type).startsWith('request.')) return body
  const more = (value: unknown): unknown => ({ ...(value as object), notYetPublic: MARK })
  if (entry.by) entry.by = more(entry.by)
  if (entry.decision) entry.decision = more(entry.decision)
  if (Array.isArray(entry.questions)) {
    entry.questions = entry.questions.map((one: { options?: unknown[] }) =>
      more(one.options ? { ...one, options: one.options.map(more) } : one),
    )
  }
  return JSON.stringify(more(entry))
}

test('a stored field of a request is private until the public schema names it', async () => {
  const dir = tempDir()
  const plain = sqliteStore({ path: storePath(dir) })
  const store = storingMore(plain)
  const execute = () => 'done'
  const pay = tool({ name: 'pay', description: 'Pays.', parameters: z.object({}), needsApproval: true, execute })
  const choose = tool({
    name: 'choose',
    description: 'Asks.',
    parameters: z.object({}),
    resumable: true,
    execute: async (_, ctx) =>
      JSON.stringify(await ctx.ask([{ key: 'k', prompt: 'Which?', options: [{ label: 'A', value: 'a' }] }])),
  })
  const calls = [
    { id: 'c1', name: 'pay', args: {} },
    { id: 'c2', name: 'choose', args: {} },
  ]
  const app = await application([{ toolCalls: calls }, 'Done.'], [pay, choose], { store })
  const { thread } = app.open()
  const seen: unknown[] = []
  thread.subscribe((event) => seen.push(event))
  const prompting = thread.prompt('go')
  seen.push(await app.asked())
  await thread.detach()
  seen.push((await prompting).requests)

  const agent = new Agent({ name: 'clerk', model: scriptedModel([]), tools: [pay, choose] })
  const state = await RunState.load(agent, { threadId: 't', store })
  const fresh = agent.thread('t', { store })
  const desk = openDesk({ store })
  seen.push(state.interruptions, toActionRequests(state.interruptions), await fresh.loadPendingHitlRequest())
  seen.push(await desk.list())
  const [first] = state.interruptions
  seen.push(await desk.decide({ request: first!.id, decision: { type: 'approve' }, by: { kind: 'person', id: 'ann' } }))
  seen.push((await fresh.resume()).requests)
  seen.push(await desk.get(first!.id), (await RunState.load(agent, { threadId: 't', store })).interruptions)
  seen.push(await state.reject(first!, { by: 'bob' }).catch((error: unknown) => error))
  await plain.close()
  seen.push(holdpoint(dir, ['requests', '--status', 'all', '--json']), holdpoint(dir, ['show', first!.id, '--json']))

  const told = JSON.stringify(seen, (_, value: unknown) => (value instanceof Error ? { ...value } : value))
  expect(told).toContain('"pay"')
  expect(told).toContain('Which?')
  expect(told).toContain('"ann"')
  expect(told).not.toContain(MARK)
  expect(told).not.toContain('notYetPublic')
})
