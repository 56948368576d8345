import { join } from 'node:path'
import { z } from 'zod'
import { Agent, type JsonObject, run, tool } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/sqlite.ts'
import { scriptedModel } from '../../../src/testing.ts'
import { tamperWith } from '../../support/stores/tamper.ts'

/** Where the command looks for the store of a folder. */
export const storePath = (dir: string) => join(dir, '.holdpoint', 'holdpoint.db')

/** Puts open requests into the store of a folder, one thread each; gives their ids. */
export async function seed(dir: string, calls: readonly JsonObject[], thread = 't'): Promise<string[]> {
  const store = sqliteStore({ path: storePath(dir) })
  const send = tool({
    name: 'send',
    description: 'Sends a text.',
    parameters: z.looseObject({ text: z.string() }),
    needsApproval: true,
    execute: () => 'sent',
  })
  const ids: string[] = []
  for (const [index, args] of calls.entries()) {
    const model = scriptedModel([{ toolCalls: [{ id: `c${index}`, name: 'send', args }] }])
    const agent = new Agent({ name: 'mailer', model, tools: [send] })
    const { interruptions } = await run(agent, 'Go.', { store, threadId: `${thread}/${index}` })
    ids.push(...interruptions.map((request) => request.id))
  }
  await store.close()
  return ids
}

/** Changes the file behind the store's back. Gives how many rows were changed. */
export const tamper = (dir: string, sql: string): number => tamperWith(storePath(dir), sql)
