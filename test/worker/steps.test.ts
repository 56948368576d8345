import { expect, it } from 'vitest'
import { z } from 'zod'
import { openDesk } from '../../src/desk/open-desk.ts'
import type { Store } from '../../src/ports/store.ts'
import { Agent } from '../../src/runtime/agent/agent.ts'
import { tool } from '../../src/runtime/definition/tool/tool.ts'
import { run } from '../../src/runtime/run/run.ts'
import { memoryStore } from '../../src/store/memory/store.ts'
import { asked, scene } from './scene.ts'

it('a step that another process began meanwhile is not done again: people are asked what became of it', async () => {
  const store = memoryStore()
  const done: string[] = []
  const consult = tool({
    name: 'consult',
    description: 'Asks, and notes the answer.',
    parameters: z.object({}),
    resumable: true,
    execute: async (_args, ctx) => {
      await ctx.confirm('Go on?')
      return ctx.step('note', () => done.push('noted'))
    },
  })
  const agent = new Agent({
    id: 'clerk',
    name: 'Clerk',
    model: { respond: async () => ({ toolCalls: [{ id: 'c1', name: 'consult', args: {} }] }) },
    tools: [consult],
  })
  await run(agent, 'go', { store, threadId: 't' })
  const question = await asked(store, 't')
  const { entries } = await store.read('t')
  const { call } = entries.map(({ body }) => JSON.parse(body)).find(({ type }) => type === 'call.started')
  let isBegun = false
  /** Another process begins the step, and dies, before the first append of this worker. */
  const slow: Store = {
    ...store,
    tenant: () => slow,
    async append(append) {
      if (append.lease?.op === 'take' && !isBegun) {
        isBegun = true
        await store.append({
          threadId: 't',
          entries: [JSON.stringify({ v: 1, type: 'step.started', call, name: 'note' })],
        })
      }
      return store.append(append)
    },
  }
  await openDesk({ store }).answer(question, true, { by: 'ann' })
  await scene({ store }).start(agent, { store: slow })
  const request = await openDesk({ store }).get(await asked(store, 't'))
  expect(request.reason).toBe('unknown_outcome')
  expect(done).toEqual([])
})
