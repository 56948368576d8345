import { deepEqual, equal } from 'node:assert/strict'
import { z } from 'zod'
import { toUIMessages } from '../../../src/ai-sdk.ts'
import { run, tool } from '../../../src/index.ts'
import { type Chat, callsOf, type MakeChat, type Script, Shop, saidIn, until } from './page.ts'

const call = (id: string, cents: number) => ({ id, name: 'refund', args: { order: 'A-1', cents } })

const twoRuns: Script = [
  { text: 'One moment.', toolCalls: [call('c1', 1999)] },
  'As you like.',
  { text: 'Once more.', toolCalls: [call('c1', 5)] },
  'It is paid back.',
]

/** What a page that is loaded again begins with. */
async function stored(shop: Shop, sub = 'ann', id = 'chat-1'): Promise<Chat['messages']> {
  const response = await shop.fetch(sub, `/api/chat/${id}/messages`)
  equal(response.status, 200)
  return (await response.json()) as Chat['messages']
}

async function answer(page: Chat, approved: boolean, end: string): Promise<void> {
  const id = callsOf(page).find(({ state }) => state === 'approval-requested')?.approval?.id
  await page.addToolApprovalResponse({ id, approved })
  await until(() => page.status === 'ready' && saidIn(page).endsWith(end))
}

/** A conversation whose first run ended with a denial, and whose second one asks. */
export async function secondQuestion(makeChat: MakeChat): Promise<{ shop: Shop; page: Chat }> {
  const shop = new Shop(makeChat, twoRuns)
  const page = shop.page()
  await page.sendMessage({ text: 'Refund A-1.' })
  await answer(page, false, 'As you like.')
  await page.sendMessage({ text: 'Only a little?' })
  equal(callsOf(page).at(-1)?.state, 'approval-requested')
  return { shop, page }
}

const outline = (messages: Chat['messages']) =>
  messages.map(({ role, parts }) => [role, ...parts.map(({ text, state, type }) => text ?? state ?? type)])

/** What a page shows of the conversation before its current message. */
export const historyCases: Record<string, (makeChat: MakeChat) => Promise<void>> = {
  'a page that is loaded again shows the whole conversation, and the current run once': async (makeChat) => {
    const { shop, page } = await secondQuestion(makeChat)
    const messages = await stored(shop)
    const expected = [
      ['user', 'Refund A-1.'],
      ['assistant', 'step-start', 'One moment.', 'output-denied', 'step-start', 'As you like.'],
      ['user', 'Only a little?'],
      ['assistant', 'step-start', 'Once more.', 'approval-requested'],
    ]
    deepEqual(outline(messages), expected)
    const answers = (all: Chat['messages']) => all.filter(({ role }) => role === 'assistant').map(({ id }) => id)
    deepEqual(answers(messages), answers(page.messages))
    equal(new Set(messages.map(({ id }) => id)).size, 4)
    const later = shop.page('ann', messages)
    await later.resumeStream()
    deepEqual([outline(later.messages), shop.errors], [expected, []])
    await answer(later, true, 'It is paid back.')
    deepEqual(shop.runs, [{ order: 'A-1', cents: 5 }])
    const [first, second] = callsOf(later)
    deepEqual([first?.state, second?.state, second?.output], ['output-denied', 'output-available', { refunded: 5 }])
    deepEqual(outline(await stored(shop)), outline(later.messages))
  },

  'a page answers from the stored messages alone': async (makeChat) => {
    const { shop } = await secondQuestion(makeChat)
    const later = shop.page('ann', await stored(shop))
    await answer(later, true, 'It is paid back.')
    deepEqual([shop.runs.length, later.messages.length, shop.errors], [1, 4, []])
  },

  'a denial in an earlier run does not show on a call of this run with the same id': async (makeChat) => {
    const script: Script = [
      { toolCalls: [call('c1', 1999)] },
      'As you like.',
      { toolCalls: [call('c1', 5)] },
      { text: 'And the rest?', toolCalls: [call('c2', 1994)] },
      'It is paid back.',
    ]
    const refund = tool({
      name: 'refund',
      description: 'Pays an order back.',
      parameters: z.object({ order: z.string(), cents: z.number().int() }),
      needsApproval: (_context, { cents }) => cents > 1000,
      execute: ({ cents }) => ({ refunded: cents }),
    })
    const shop = new Shop(makeChat, script, { agent: (usual) => ({ ...usual, tools: [refund] }) })
    const page = shop.page()
    await page.sendMessage({ text: 'Refund A-1.' })
    await answer(page, false, 'As you like.')
    await page.sendMessage({ text: 'Only a little?' })
    const later = shop.page()
    await later.resumeStream()
    deepEqual(
      callsOf(later).map(({ state, output }) => [state, output]),
      [
        ['output-available', { refunded: 5 }],
        ['approval-requested', undefined],
      ],
    )
    const states = (await stored(shop)).flatMap(({ parts }) =>
      parts.flatMap(({ toolCallId, state }) => (toolCallId ? [state] : [])),
    )
    deepEqual(states, ['output-denied', 'output-available', 'approval-requested'])
  },

  'the messages of a chat are for its user alone': async (makeChat) => {
    const { shop } = await secondQuestion(makeChat)
    deepEqual(await stored(shop, 'mallory'), [])
    deepEqual(await stored(shop, 'ann', 'another'), [])
    const status = async (sub: string, headers = {}) =>
      (await shop.fetch(sub, '/api/chat/chat-1/messages', { headers })).status
    equal(await status(''), 401)
    equal(await status('robot'), 403)
    equal(await status('ann', { 'sec-fetch-site': 'cross-site' }), 403)
    equal((await shop.fetch('ann', '/api/chat/%E0%A4%A/messages')).status, 400)
  },

  'files of the user show again': async (makeChat) => {
    const shop = new Shop(makeChat, ['A lamp.'])
    const url = 'data:text/plain;base64,aGk='
    const parts = [
      { type: 'text', text: 'What is this?' },
      { type: 'file', mediaType: 'text/plain', url, filename: 'hi.txt' },
    ]
    const body = { id: 'chat-1', trigger: 'submit-message', messages: [{ id: 'u1', role: 'user', parts }] }
    await (await shop.post('ann', body)).text()
    const [said] = await stored(shop)
    deepEqual(said?.parts, parts)
  },

  'what a run was given shows as it was said, and system messages do not': async (makeChat) => {
    const shop = new Shop(makeChat, ['A lamp.'])
    const input = [
      { role: 'user', content: 'Hello.' },
      { role: 'system', content: 'The secret is 7.' },
      { role: 'user', content: 'What is this?' },
    ] as const
    const { state } = await run(shop.agent, [...input], { store: shop.store, threadId: 'chat/ann/chat-1' })
    const expected = [
      ['user', 'Hello.'],
      ['user', 'What is this?'],
      ['assistant', 'step-start', 'A lamp.'],
    ]
    deepEqual(outline(await stored(shop)), expected)
    deepEqual(toUIMessages(state), await stored(shop))
  },
}
