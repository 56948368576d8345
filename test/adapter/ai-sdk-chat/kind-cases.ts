import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { z } from 'zod'
import { Agent, openDesk, type ToolContext, tool } from '../../../src/index.ts'
import { scriptedModel } from '../../../src/testing.ts'
import { type Chat, callsOf, type MakeChat, type Part, Shop, saidIn, until } from './page.ts'

/** An agent whose one tool asks the user. */
function asking(makeChat: MakeChat, ask: (context: ToolContext) => Promise<string>): Shop {
  const execute = (_args: object, context: ToolContext) => ask(context)
  const publish = tool({
    name: 'publish',
    description: 'Publishes.',
    parameters: z.object({}),
    resumable: true,
    execute,
  })
  const script = [{ toolCalls: [{ id: 'c1', name: 'publish', args: {} }] }, 'That was it.']
  return new Shop(makeChat, script, { agent: (usual) => ({ ...usual, tools: [publish] }) })
}

function questionOn(page: Chat): Part | undefined {
  return page.messages.at(-1)?.parts.findLast(({ type }) => type === 'data-holdpoint-ask')
}

const ready = (page: Chat, text: string) => () => page.status === 'ready' && saidIn(page).endsWith(text)

async function answer(page: Chat, given: unknown): Promise<void> {
  const requestId = questionOn(page)?.data?.id
  await page.sendMessage(undefined, { body: { holdpoint: { requestId, answer: given } } })
}

/** What people are asked next to approvals of the agent's own calls. */
export const kindCases: Record<string, (makeChat: MakeChat) => Promise<void>> = {
  'a question of a tool shows on the page, and its answer is given to the tool': async (makeChat) => {
    const shop = asking(makeChat, async (context) => ((await context.confirm('Publish?')) ? 'published' : 'kept'))
    const page = shop.page()
    await page.sendMessage({ text: 'Publish it.' })
    deepEqual([questionOn(page)?.data?.kind, questionOn(page)?.data?.prompt], ['confirm', 'Publish?'])
    await answer(page, true)
    await until(ready(page, 'That was it.'))
    deepEqual([callsOf(page).map(({ output }) => output), shop.errors], [['published'], []])
    const { requests } = await openDesk({ store: shop.store }).list({ status: 'decided' })
    equal(requests.length, 1)
    equal(questionOn(page)?.data?.status, 'decided')
  },

  'a question with fields is answered with an object, and one that does not fit is refused': async (makeChat) => {
    const shop = asking(makeChat, async (context) => {
      const { why } = await context.ask([{ key: 'why', prompt: 'Why?' }])
      return `because ${why}`
    })
    const page = shop.page()
    await page.sendMessage({ text: 'Publish it.' })
    equal(questionOn(page)?.data?.kind, 'ask')
    await answer(page, { why: 7 })
    await until(() => page.status === 'ready' && shop.requests.length === 2)
    ok(page.messages.at(-1)?.parts.some(({ type }) => type === 'data-holdpoint-problem'))
    equal(questionOn(page)?.data?.status, 'open')
    await answer(page, { why: 'it is good' })
    await until(ready(page, 'That was it.'))
    equal(callsOf(page)[0]?.output, 'because it is good')
  },

  'a question shows again after a reload, and is answered there': async (makeChat) => {
    const shop = asking(makeChat, async (context) => ((await context.confirm('Publish?')) ? 'published' : 'kept'))
    await shop.page().sendMessage({ text: 'Publish it.' })
    const page = shop.page()
    await page.resumeStream()
    equal(questionOn(page)?.data?.status, 'open')
    await answer(page, false)
    await until(ready(page, 'That was it.'))
    equal(callsOf(page)[0]?.output, 'kept')
  },

  'a call of a nested agent shows as an approval of its own, and runs once': async (makeChat) => {
    const lead = [{ toolCalls: [{ id: 'c1', name: 'ask_support', args: { input: 'Refund A-1.' } }] }, 'All done.']
    const shop: Shop = new Shop(makeChat, [], {
      agent: (usual) => {
        const calls = [{ id: 'c1', name: 'refund', args: { order: 'A-1', cents: 5 } }]
        const support = new Agent({ ...usual, name: 'Support', model: scriptedModel([{ toolCalls: calls }, 'Paid.']) })
        const tools = [support.asTool({ name: 'ask_support', description: 'Helps.' })]
        return { name: 'Lead', model: scriptedModel(lead, { stream: true }), tools }
      },
    })
    const page = shop.page()
    await page.sendMessage({ text: 'A-1 never came.' })
    const [request] = await shop.open()
    const own = callsOf(page).find(({ toolName }) => toolName === 'refund')
    deepEqual(
      [own?.state, own?.approval?.id, own?.input],
      ['approval-requested', request?.id, { order: 'A-1', cents: 5 }],
    )
    // Another page, which has the question from the journal alone.
    const later = shop.page()
    await later.resumeStream()
    equal(callsOf(later).find(({ toolName }) => toolName === 'refund')?.state, 'approval-requested')
    await later.addToolApprovalResponse({ id: request!.id, approved: true })
    await until(ready(later, 'All done.'))
    deepEqual([shop.runs, shop.errors], [[{ order: 'A-1', cents: 5 }], []])
    deepEqual(
      callsOf(later).map(({ toolName, state }) => `${toolName}: ${state}`),
      ['ask_support: output-available', 'refund: output-available'],
    )
  },

  'a decision that is taken back ran nothing, and its question is on the page again': async (makeChat) => {
    const script = [{ toolCalls: [{ id: 'c1', name: 'refund', args: { order: 'A-1', cents: 5 } }] }, 'It is paid back.']
    const shop = new Shop(makeChat, script)
    const page = shop.page()
    await page.sendMessage({ text: 'Refund A-1.' })
    const [request] = await shop.open()
    const desk = openDesk({ store: shop.store })
    await desk.decide({ request: request!, decision: { type: 'approve' }, by: 'bob', undoSeconds: 3600 })
    // The page follows until the decision counts, or is taken back.
    const following = page.resumeStream()
    await desk.withdraw(request!, 'bob')
    await following
    deepEqual([shop.runs, page.status, shop.errors], [[], 'ready', []])
    const part = callsOf(page)[0]
    deepEqual([part?.state, part?.approval?.descriptor?.version], ['approval-requested', 3])
    await page.addToolApprovalResponse({ id: request!.id, approved: true })
    await until(ready(page, 'It is paid back.'))
    equal(shop.runs.length, 1)
    match(saidIn(page), /It is paid back\./)
  },
}
