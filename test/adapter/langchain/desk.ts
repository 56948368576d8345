import { Command, MemorySaver } from '@langchain/langgraph'
import { type AgentMiddleware, AIMessage, createAgent, fakeModel, tool } from 'langchain'
import { z } from 'zod'
import { createGate, type Gate, hostPolicy } from '../../../src/gate.ts'
import type { Actor, Store } from '../../../src/index.ts'
import { type HoldpointMiddlewareOptions, holdpointMiddleware } from '../../../src/langchain.ts'

/** The person who decides in these tests. */
export const ann: Actor = { kind: 'person', id: 'ann' }

/** A gate that holds what `interruptOn` holds. */
export function gateOn(store: Store): Gate {
  return createGate({ store, policy: hostPolicy, source: 'langchain' })
}

/** The middleware under test, with refunds held and answers of Ann. */
export function gated(store: Store, options: Partial<HoldpointMiddlewareOptions> = {}): AgentMiddleware {
  return holdpointMiddleware({ gate: gateOn(store), interruptOn: { refund: true }, by: () => ann, ...options })
}

/** A call by the model. */
export function calling(id: string, name: string, args: object) {
  return { id, name, args: { ...args }, type: 'tool_call' as const }
}

/** A call of `refund` by the model. */
export function refunding(id: string, order: string, cents: number) {
  return calling(id, 'refund', { order, cents })
}

/** Agents over one checkpointer, as several processes have them, and what their tools did. */
export function refundDesk(...turns: (ReturnType<typeof calling>[] | string)[]) {
  const ran: string[] = []
  const saver = new MemorySaver()
  const seen: unknown[][] = []
  const refund = tool(
    async ({ order, cents }: { order: string; cents: number }) => {
      ran.push(`${order} ${cents}`)
      return `${cents} cents paid back for ${order}`
    },
    { name: 'refund', description: 'Pays back.', schema: z.object({ order: z.string(), cents: z.number() }) },
  )
  const lookUp = tool(
    async ({ order }: { order: string }) => {
      ran.push(`look_up ${order}`)
      return `${order}: lost`
    },
    { name: 'look_up', description: 'Finds an order.', schema: z.object({ order: z.string() }) },
  )
  const agent = (middleware: AgentMiddleware, tools: unknown[] = [refund, lookUp], checkpointer = saver) =>
    createAgent({ model: scripted(turns, seen), tools: tools as never, middleware: [middleware], checkpointer })
  return { agent, ran, seen, refund, lookUp }
}

/** A model whose answer depends on how many answers are in the conversation: each process can ask it. */
function scripted(turns: readonly (ReturnType<typeof calling>[] | string)[], seen: unknown[][]) {
  const model = fakeModel()
  const answer = (messages: { getType(): string }[]) => {
    seen.push(messages)
    const turn = turns[messages.filter((message) => message.getType() === 'ai').length] ?? 'Done.'
    return typeof turn === 'string' ? new AIMessage(turn) : new AIMessage({ content: '', tool_calls: turn })
  }
  for (let time = 0; time < 20; time++) model.respond(answer as never)
  return model
}

/** The conversation of these tests. */
export const chat = { configurable: { thread_id: 'chat' } }

/** What a person's page sends. */
export function resume(...decisions: object[]): Command {
  return new Command({ resume: { decisions } })
}

/** What continues a graph after a decision elsewhere. */
export function wake(): Command {
  return new Command({ resume: { holdpoint: true } })
}

type Shown = { id?: string; name: string; args: object; description?: string }

/** The interrupts of a result: for each, what is asked. */
export function asked(result: object): { id?: string; actions: Shown[]; configs: object[]; problems?: string[] }[] {
  const { __interrupt__: interrupts = [] } = result as { __interrupt__?: { id?: string; value: never }[] }
  return interrupts.map(({ id, value }) => {
    const { actionRequests, reviewConfigs, problems } = value as {
      actionRequests: Shown[]
      reviewConfigs: object[]
      problems?: string[]
    }
    return { ...(id ? { id } : {}), actions: actionRequests, configs: reviewConfigs, ...(problems ? { problems } : {}) }
  })
}

/** The results in the conversation, in its order. */
export function results(result: object): { id: string; content: unknown; status?: string }[] {
  const { messages } = result as {
    messages: { getType(): string; tool_call_id: string; content: unknown; status?: string }[]
  }
  return messages
    .filter((message) => message.getType() === 'tool')
    .map(({ tool_call_id: id, content, status }) => ({ id, content, ...(status ? { status } : {}) }))
}

/** The calls of the model's first message, as they are in the conversation. */
export function callsOf(result: object): { id?: string; name: string; args: object }[] {
  const { messages } = result as {
    messages: { getType(): string; tool_calls: { id?: string; name: string; args: object }[] }[]
  }
  return (messages.find((message) => message.getType() === 'ai')?.tool_calls ?? []).map(({ id, name, args }) => ({
    ...(id ? { id } : {}),
    name,
    args,
  }))
}
