import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { openDesk } from '../../../src/index.ts'
import { type Chat, callsOf, type MakeChat, type Part, type Script, Shop } from './page.ts'

const refund: Script = [
  { toolCalls: [{ id: 'c1', name: 'refund', args: { order: 'A-1', cents: 1999 } }] },
  'It is paid back.',
  'And again.',
]

async function asked(makeChat: MakeChat): Promise<{ shop: Shop; page: Chat }> {
  const shop = new Shop(makeChat, refund)
  const page = shop.page()
  await page.sendMessage({ text: 'Refund A-1.' })
  equal(callsOf(page)[0]?.state, 'approval-requested')
  return { shop, page }
}

/** What a page posts that has answered this part. */
function answered(part: Part, { id = 'chat-1', approved = true }: { id?: string; approved?: boolean } = {}) {
  const parts = [
    { type: 'step-start' },
    { ...part, state: 'approval-responded', approval: { ...part.approval, approved } },
  ]
  return { id, trigger: 'submit-message', messages: [{ id: 'm', role: 'assistant', parts }] }
}

/** Requests that no page of an honest person sends. */
export const hostileCases: Record<string, (makeChat: MakeChat) => Promise<void>> = {
  'an answer in one chat to the question of another decides nothing': async (makeChat) => {
    const { shop, page } = await asked(makeChat)
    const other = shop.page('ann', [], 'chat-2')
    await other.sendMessage({ text: 'Hello.' })
    const response = await shop.post('ann', answered(callsOf(page)[0]!, { id: 'chat-2' }))
    await response.text()
    const stranger = await shop.post('mallory', answered(callsOf(page)[0]!))
    equal(stranger.status, 404)
    deepEqual([shop.runs, (await shop.open()).length], [[], 1])
  },

  'an answer to a question that nobody asked does nothing': async (makeChat) => {
    const { shop, page } = await asked(makeChat)
    const part = { ...callsOf(page)[0]!, approval: { id: 'made-up' } }
    await (await shop.post('ann', answered(part))).text()
    await (await shop.post('ann', { ...answered(part), holdpoint: { requestId: 'made-up', answer: true } })).text()
    deepEqual([shop.runs, (await shop.open()).length], [[], 1])
  },

  'a replayed answer runs nothing again': async (makeChat) => {
    const { shop, page } = await asked(makeChat)
    const body = answered(callsOf(page)[0]!)
    for (let again = 0; again < 3; again++) {
      const text = await (await shop.post('ann', body)).text()
      match(text, /refunded/)
    }
    equal(shop.runs.length, 1)
  },

  'tabs that answer differently at once get one decision': async (makeChat) => {
    const { shop, page } = await asked(makeChat)
    const [request] = await shop.open()
    const part = callsOf(page)[0]!
    const texts = await Promise.all(
      [true, false, true, false].map(async (approved) => (await shop.post('ann', answered(part, { approved }))).text()),
    )
    const decided = await openDesk({ store: shop.store }).get(request!.id)
    equal(shop.runs.length, decided.decision?.type === 'approve' ? 1 : 0)
    for (const text of texts) ok(text.endsWith('data: [DONE]\n\n'), text)
  },

  'a body that makes no sense is refused, and says why': async (makeChat) => {
    const { shop, page } = await asked(makeChat)
    const part = callsOf(page)[0]!
    const user = { role: 'user', parts: [{ type: 'text', text: 'Hi' }] }
    const bodies: unknown[] = [
      '',
      '{',
      'null',
      '[]',
      { id: 7, messages: [user] },
      { id: '', messages: [user] },
      { id: 'chat-1', messages: [] },
      { id: 'chat-1', messages: 'x' },
      { id: 'chat-1', messages: [null] },
      { id: 'chat-1', messages: [{ role: 'system', parts: [] }] },
      { id: 'chat-1', messages: [{ role: 'user', parts: [null] }] },
      { id: 'new', messages: [{ role: 'user', parts: [] }] },
      { id: 'new', messages: [{ role: 'user', parts: [{ type: 'text', text: 7 }] }] },
      { id: 'new', messages: [{ role: 'user', parts: [{ type: 'file', mediaType: 'a/b', url: 'https://x.test' }] }] },
      { id: 'x'.repeat(10_000), messages: [user] },
      { ...answered(part), holdpoint: 'yes' },
      { ...answered(part), holdpoint: { requestId: 7, answer: true } },
      { ...answered(part), holdpoint: { more: 1 } },
    ]
    for (const body of bodies) {
      const response = await shop.post('ann', body)
      equal(response.status, 400, JSON.stringify(body).slice(0, 200))
      ok((await response.text()).length > 10)
    }
    equal((await shop.fetch('ann', '/api/chat/%E0%A4%A/stream')).status, 400)
    deepEqual([shop.runs, (await shop.open()).length], [[], 1])
  },

  'an answer of the wrong shape leaves the question open': async (makeChat) => {
    const { shop, page } = await asked(makeChat)
    const part = callsOf(page)[0]!
    const wrong = [
      { type: 'burn' },
      { type: 'edit', args: 'all' },
      { type: 'edit', args: [1] },
      { type: 'respond', message: { a: 1 } },
      { type: 'reject' },
    ]
    for (const holdpoint of wrong) {
      const text = await (await shop.post('ann', { ...answered(part), holdpoint })).text()
      match(text, /data-holdpoint-problem/, JSON.stringify(holdpoint))
    }
    deepEqual([shop.runs, (await shop.open()).length], [[], 1])
  },

  'a body that is too long is refused before it is read': async (makeChat) => {
    const { shop } = await asked(makeChat)
    const text = 'x'.repeat(11 * 1024 * 1024)
    const messages = [{ role: 'user', parts: [{ type: 'text', text }] }]
    const response = await shop.post('ann', { id: 'chat-9', messages })
    equal(response.status, 413)
    const limited = await shop.fetch('ann', '/api/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': '99999999999' },
      body: '{}',
    })
    equal(limited.status, 413)
  },
}
