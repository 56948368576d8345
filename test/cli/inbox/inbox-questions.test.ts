import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Agent, run, tool } from '../../../src/index.ts'
import { sqliteStore } from '../../../src/sqlite.ts'
import { scriptedModel } from '../../../src/testing.ts'
import { holdpoint, type Running, startInTerminal, tempDir } from '../support/programs.ts'
import { storePath } from '../support/store.ts'
import { waiting } from '../support/waiting.ts'

const PROMPT = 'number  [l]ist  [q]uit > '

async function atInbox(dir: string): Promise<Running> {
  const inbox = startInTerminal(dir, ['inbox'], { NO_COLOR: '1' })
  await inbox.shows(PROMPT)
  return inbox
}

describe('questions in the terminal inbox', () => {
  it('answers a yes-or-no question and a form, and an answer that does not fit leaves the form open', async () => {
    const dir = tempDir()
    const { confirm, form, finish } = await waiting(dir)
    const inbox = await atInbox(dir)
    const numberOf = (id: string) => {
      const { requests } = JSON.parse(holdpoint(dir, ['requests', '--json']).stdout)
      return requests.toReversed().findIndex((request: { id: string }) => request.id === id) + 1
    }
    const [sure, ask] = [numberOf(confirm), numberOf(form)]
    await inbox.shows('[y]es  [n]o  [b]ack > ', inbox.type(`${sure}\r`))
    await inbox.shows('Answered by tester', inbox.type('y\r'))
    await inbox.shows('Which size?: ', inbox.type(`${ask}\r`))
    await inbox.shows('With what? (several with commas): ', inbox.type('huge\r'))
    await inbox.shows('Anything else? (Enter to skip): ', inbox.type('milk, sugar\r'))
    await inbox.shows('Sure? [y/N]', inbox.type('\r'))
    await inbox.shows('[answer_invalid]', inbox.type('y\r'))
    await inbox.shows('Which size?: ', inbox.type(`${ask}\r`))
    await inbox.shows('With what?', inbox.type('large\r'))
    await inbox.shows('Anything else?', inbox.type('milk, sugar\r'))
    await inbox.shows('Sure? [y/N]', inbox.type('\r'))
    await inbox.shows('Answered by tester', inbox.type('y\r'))
    inbox.type('q\r')
    expect(await inbox.ended).toBe(0)
    expect(await finish()).toMatchObject({
      status: 'completed',
      heard: [true, { size: 'large', extras: ['milk', 'sugar'] }],
    })
  })

  it('lets a call of high risk run only for the whole word', async () => {
    const dir = tempDir()
    const store = sqliteStore({ path: storePath(dir) })
    const wipe = tool({
      name: 'wipe',
      description: 'Deletes everything.',
      parameters: z.object({}),
      needsApproval: true,
      risk: 'high',
      execute: () => 'gone',
    })
    const model = scriptedModel([{ toolCalls: [{ id: 'c', name: 'wipe', args: {} }] }])
    const { interruptions } = await run(new Agent({ name: 'cleaner', model, tools: [wipe] }), 'Go.', {
      store,
      threadId: 't',
    })
    await store.close()
    const status = () => JSON.parse(holdpoint(dir, ['show', interruptions[0]!.id, '--json']).stdout).status
    const inbox = await atInbox(dir)
    await inbox.shows('[a]pprove', inbox.type('1\r'))
    await inbox.shows('High risk. Type approve to let it run: ', inbox.type('a\r'))
    await inbox.shows('Nothing was decided.', inbox.type('y\r'))
    expect(status()).toBe('open')
    await inbox.shows('High risk.', inbox.type('a\r'))
    await inbox.shows('Approved by tester', inbox.type('approve\r'))
    expect(status()).toBe('decided')
  })
})
