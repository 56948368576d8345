// An agent behind a page of the AI SDK. Its refunds show as approvals on the page; the answers are decisions, on record.
//
//   main.js              a simulated page asks, is loaded again and answers, and the program ends
//   main.js --serve 3000 serves the page: open the address that is printed. Stop and start the server while a question is open.
//   main.js --build FILE bundles the page only, for --serve 3000 FILE
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Chat } from '@ai-sdk/react'
import { getRequestListener } from '@hono/node-server'
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai'
import { Agent, tool } from 'holdpoint'
import { createChatHandler } from 'holdpoint/ai-sdk'
import { sqliteStore } from 'holdpoint/sqlite'
import { z } from 'zod'
import { buildPage, html } from './site.ts'

const refund = tool({
  name: 'refund',
  description: 'Pays an order back.',
  parameters: z.object({ order: z.string(), cents: z.number().int().positive() }),
  needsApproval: true,
  execute: ({ order, cents }) => {
    console.log(`paying ${cents} cents for order ${order}`)
    return `${cents} cents paid back`
  },
})

const agent = new Agent({
  name: 'support',
  instructions: 'Help customers.',
  // Stands in for a language model: asks for a refund, then reports the result. `aiSdkModel` makes one of any model of the AI SDK.
  model: {
    respond: async ({ messages }) => {
      const last = messages.at(-1)
      if (last?.role === 'tool') return { content: `Done: ${last.content}` }
      return { content: 'I look into it.', toolCalls: [{ name: 'refund', args: { order: '42', cents: 199_900 } }] }
    },
  },
  tools: [refund],
})

const store = sqliteStore({ path: 'chat.db' })
const chat = createChatHandler({
  agent,
  store,
  // Everybody is Ann here. Use your own sessions, or jwtAuth of holdpoint/gateway.
  auth: {
    authenticate: async () => ({ ok: true, caller: { sub: 'ann', tenant: 'default', roles: [], groups: [] } }),
  },
})

const [flag, given = '', file] = process.argv.slice(2)
if (flag === '--build') writeFileSync(given, await buildPage())
else if (flag === '--serve') serve(Number(given), file ? readFileSync(file, 'utf8') : await buildPage())
else await simulate()

/** Serves the page and its chat. */
function serve(port: number, script: string): void {
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    if (pathname.startsWith('/api/chat')) return chat(request)
    if (pathname === '/page.js') return new Response(script, { headers: { 'content-type': 'text/javascript' } })
    return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } })
  }
  const server = createServer(getRequestListener(answer))
  server.listen(port, '127.0.0.1', () => {
    const address = server.address()
    console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : port}/chat-1`)
  })
}

/** The SDK's own chat, without a browser. */
function page(messages: UIMessage[] = []): Chat<UIMessage> {
  return new Chat({
    id: 'chat-1',
    messages,
    transport: new DefaultChatTransport({
      fetch: (path, init) => chat(new Request(new URL(String(path), 'http://localhost'), init)),
    }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
}

async function simulate(): Promise<void> {
  const first = page()
  await first.sendMessage({ text: 'Please refund order 42.' })
  show(first)

  // The page is loaded again, in another browser.
  const stored = await chat(new Request('http://localhost/api/chat/chat-1/messages'))
  const later = page((await stored.json()) as UIMessage[])
  await later.resumeStream()
  show(later)
  const parts = later.messages.at(-1)?.parts ?? []
  for (const part of parts as { approval?: { id: string } }[]) {
    const body = { holdpoint: { type: 'edit', args: { order: '42', cents: 1999 } } }
    if (part.approval) await later.addToolApprovalResponse({ id: part.approval.id, approved: true, options: { body } })
  }
  while (later.status !== 'ready') await new Promise((resolve) => setTimeout(resolve, 10))
  show(later)
  await store.close()
}

function show({ messages }: Chat<UIMessage>): void {
  for (const { parts = [] } of messages.slice(-1) as { parts: { type: string; text?: string; state?: string }[] }[])
    console.log(
      parts.flatMap(({ type, text, state }) => (type === 'text' ? [text] : state ? [`(${state})`] : [])).join(' '),
    )
}
