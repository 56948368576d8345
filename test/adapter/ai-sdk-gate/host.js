import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { convertToModelMessages, readUIMessageStream, stepCountIs, streamText, tool } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { humanInTheLoop } from 'holdpoint'
import { aiSdkGate } from 'holdpoint/ai-sdk'
import { createGate } from 'holdpoint/gate'
import { z } from 'zod'
import { storeAt } from '../../support/stores/stored-at.js'

/**
 * An application of the AI SDK in a process of its own: answers one request of its page, and ends. The page's messages are in a file.
 *
 * @typedef {object} Work
 * @property {string} path the store's address
 * @property {string} log
 * @property {string} chat the page's messages
 * @property {boolean} [killed] it is killed after the effect, before the end of the tool
 */

const { path, log, chat, killed } = /** @type {Work} */ (JSON.parse(process.argv[2] ?? ''))
const store = storeAt(path, { durability: 'process' })
const gate = createGate({ store, source: 'shop', policy: humanInTheLoop({ interruptOn: { refund: true } }) })

/** @param {object} line */
const record = (line) => appendFileSync(log, `${JSON.stringify(line)}\n`)

const refund = tool({
  description: 'Pays an order back.',
  inputSchema: z.object({ cents: z.number() }),
  execute: async ({ cents }) => {
    record({ ran: cents })
    if (killed) process.kill(process.pid, 'SIGKILL')
    return `${cents} paid`
  },
})

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** Asks for a refund, then says what it has read about it. */
const model = new MockLanguageModelV3({
  doStream: async ({ prompt }) => {
    const last = prompt.at(-1)
    const isNew = last?.role === 'user'
    const unified = isNew ? 'tool-calls' : 'stop'
    return {
      stream: new ReadableStream({
        start(controller) {
          controller.enqueue({ type: 'stream-start', warnings: [] })
          if (isNew) {
            const call = { toolCallId: 'c1', toolName: 'refund', input: '{"cents":1999}' }
            controller.enqueue({ type: 'tool-call', ...call })
          } else {
            controller.enqueue({ type: 'text-start', id: '1' })
            controller.enqueue({ type: 'text-delta', id: '1', delta: JSON.stringify(last?.content) })
            controller.enqueue({ type: 'text-end', id: '1' })
          }
          controller.enqueue({ type: 'finish', usage, finishReason: { unified, raw: unified } })
          controller.close()
        },
      }),
    }
  },
})

/** @type {import('ai').UIMessage[]} */
const messages = existsSync(chat)
  ? JSON.parse(readFileSync(chat, 'utf8'))
  : [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Refund it.' }] }]
const g = aiSdkGate(gate, { threadId: 'chat-1', by: { kind: 'person', id: 'ann' }, tools: { refund } })
await g.absorb(messages)
const result = streamText({
  model,
  tools: g.tools,
  stopWhen: stepCountIs(3),
  messages: await convertToModelMessages(await g.reconcile(messages)),
  onError: ({ error }) => record({ error: String(error) }),
})
const [question, said] = messages
let answer = structuredClone(said)
const stream = result.toUIMessageStream({ originalMessages: messages, generateMessageId: () => 'a1' })
for await (const one of readUIMessageStream({ ...(answer ? { message: answer } : {}), stream })) answer = one
// The page keeps the question as long as it is not settled, as after a lost response.
if (!said && question && answer) writeFileSync(chat, JSON.stringify([question, answer]))
record({
  states: (answer?.parts ?? []).flatMap((part) => ('state' in part && 'toolCallId' in part ? [part.state] : [])),
  text: (answer?.parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' '),
})
await store.close()
