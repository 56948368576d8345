import { z } from 'zod'
import { Agent, type HitlRequest, RunState, run, tool } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/sqlite.ts'
import { scriptedModel } from '../../../src/testing.ts'
import { storePath } from './store.ts'

const FORM = [
  { key: 'size', prompt: 'Which size?', options: ['small', 'large'].map((value) => ({ value, label: value })) },
  {
    key: 'extras',
    prompt: 'With what?',
    multiSelect: true,
    options: ['milk', 'sugar'].map((value) => ({ value, label: value })),
  },
  { key: 'note', prompt: 'Anything else?', required: false },
]

/** Leaves a run that waits for a yes or no and for a form. `finish` goes on with it and gives what the tools were told. */
export async function waiting(dir: string) {
  const heard: unknown[] = []
  const asking = (name: string, ask: (ctx: Parameters<Parameters<typeof tool>[0]['execute']>[1]) => Promise<unknown>) =>
    tool({
      name,
      description: name,
      parameters: z.object({}),
      resumable: true,
      execute: async (_, ctx) => {
        heard.push(await ask(ctx))
        return 'ok'
      },
    })
  const tools = [asking('sure', (ctx) => ctx.confirm('Really?')), asking('form', (ctx) => ctx.ask(FORM))]
  const model = scriptedModel([
    {
      toolCalls: [
        { id: 'a', name: 'sure', args: {} },
        { id: 'b', name: 'form', args: {} },
      ],
    },
    'Done.',
  ])
  const agent = new Agent({ name: 'waiter', model, tools })
  const store = sqliteStore({ path: storePath(dir) })
  const { interruptions } = await run(agent, 'Go.', { store, threadId: 't' })
  const id = (kind: HitlRequest['kind']) => interruptions.find((request) => request.kind === kind)?.id ?? ''
  const finish = async () => {
    const result = await run(agent, await RunState.load(agent, { store, threadId: 't' }))
    await store.close()
    return { status: result.status, heard }
  }
  return { confirm: id('confirm'), form: id('ask'), finish }
}
