import * as six from 'ai'
import * as seven from 'ai-v7'
import { humanInTheLoop, memoryStore } from 'holdpoint'
import { aiSdkGate, createChatHandler, toUIMessageStream } from 'holdpoint/ai-sdk'
import { createGate } from 'holdpoint/gate'
import { z } from 'zod'

const gate = createGate({
  store: memoryStore(),
  policy: humanInTheLoop({ interruptOn: { refund: true } }),
  source: 'shop',
})
const by = { kind: 'person', id: 'ann' } as const
const schema = z.object({ order: z.string(), cents: z.number().int() })
const description = 'Pays an order back.'
export const read: unknown[] = []

export async function version6(model: six.LanguageModel, messages: six.UIMessage[]) {
  const tools = {
    refund: six.tool({ description, inputSchema: schema, execute: async ({ cents }) => ({ paid: cents }) }),
    count: six.tool({
      inputSchema: z.object({ to: z.number() }),
      async *execute({ to }) {
        yield { at: to }
      },
    }),
  }
  const g = aiSdkGate(gate, { threadId: 'chat', by, tools })
  // @ts-expect-error a tool that does not exist
  aiSdkGate(gate, { threadId: 'chat', tools, ungated: ['search'] })
  const [first] = await g.absorb(messages, { type: 'edit', args: {} })
  const outcome: 'decided' | 'not-open' | 'refused' | undefined = first?.outcome
  const history: six.UIMessage[] = await g.reconcile(messages)
  const given = { model, tools: g.tools, messages: await six.convertToModelMessages(history) }
  const result = await six.generateText(given)
  for (const call of result.toolCalls) {
    if (call.dynamic || call.toolName !== 'refund') continue
    const cents: number = call.input.cents
    // @ts-expect-error the gated tool has the input of the tool
    const wrong: string = call.input.cents
    read.push(cents, wrong)
  }
  for (const one of result.toolResults)
    if (!one.dynamic && one.toolName === 'refund') read.push(one.output.paid.toFixed(2))
  const agent = new six.ToolLoopAgent({ model, tools: g.tools, stopWhen: six.stepCountIs(5) })
  const streamed = six.streamText(given)
  return {
    outcome,
    response: streamed.toUIMessageStreamResponse({ originalMessages: messages }),
    text: (await agent.generate({ prompt: 'Hi' })).text,
  }
}

export async function version7(model: seven.LanguageModel, messages: seven.UIMessage[]) {
  const tools = {
    refund: seven.tool({ description, inputSchema: schema, execute: async ({ cents }) => ({ paid: cents }) }),
  }
  const g = aiSdkGate(gate, { threadId: 'chat', by, tools })
  await g.absorb(messages)
  const history: seven.UIMessage[] = await g.reconcile(messages)
  const given = {
    model,
    tools: g.tools,
    toolApproval: g.toolApproval,
    messages: await seven.convertToModelMessages(history),
  }
  const result = await seven.generateText(given)
  for (const one of result.toolResults)
    if (!one.dynamic && one.toolName === 'refund') read.push(one.output.paid.toFixed(2))
  const agent = new seven.ToolLoopAgent({ model, tools: g.tools, toolApproval: g.toolApproval })
  const streamed = seven.streamText(given)
  return { text: streamed.text, more: (await agent.generate({ prompt: 'Hi' })).text }
}

export type Chat = (request: Request) => Promise<Response>
export const handler: (options: Parameters<typeof createChatHandler>[0]) => Chat = createChatHandler

/** Its chunks are those of both versions. */
export function responses(run: Parameters<typeof toUIMessageStream>[0]): Response[] {
  return [
    six.createUIMessageStreamResponse({ stream: toUIMessageStream(run) }),
    seven.createUIMessageStreamResponse({ stream: toUIMessageStream(run) }),
  ]
}
