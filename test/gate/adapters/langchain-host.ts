import { Command, MemorySaver } from '@langchain/langgraph'
import { AIMessage, createAgent, fakeModel, tool } from 'langchain'
import { createGate, hostPolicy } from '../../../src/gate.ts'
import type { JsonObject, JsonValue } from '../../../src/index.ts'
import { type HoldpointMiddlewareOptions, holdpointMiddleware } from '../../../src/langchain.ts'
import type {
  AdapterHarness,
  AdapterHost,
  HostAnswer,
  HostCall,
  HostCallState,
  HostSetup,
  HostTurn,
} from '../../../src/testing.ts'
import { withArgs } from './with-args.ts'

/** What this host keeps: the checkpoints of its conversation, as a checkpointer has them. */
interface Saved {
  calls: HostCall[]
  storage: MemorySaver['storage']
  writes: MemorySaver['writes']
}

type Mode = NonNullable<HoldpointMiddlewareOptions['decisions']>

/** An agent of LangChain with a checkpointer. Its model makes the calls of a case, and then ends. */
export function langchainHarness(decisions: Mode): AdapterHarness {
  return {
    answers: ['approve', 'edit', 'reject', 'respond'],
    start: async (setup) => startHost(setup, decisions),
  }
}

function startHost(setup: HostSetup, decisions: Mode): AdapterHost {
  const { store, held, conversation, reviewer } = setup
  const config = { configurable: { thread_id: conversation } }
  const gate = createGate({ store, policy: hostPolicy, source: 'langchain', holdSeconds: 0 })
  const tools = setup.tools.map(({ name, description, parameters, run }) =>
    tool(async (args: JsonObject) => JSON.stringify(await run(args)), {
      name,
      description,
      schema: parameters,
    } as never),
  )

  function agentOn(checkpointer: MemorySaver, calls: readonly HostCall[]) {
    const model = fakeModel()
      .respond(answerOf(calls) as never)
      .respond(new AIMessage('Done.') as never)
    const interruptOn = Object.fromEntries(held.map((name) => [name, true]))
    const middleware = holdpointMiddleware({ gate, interruptOn, decisions, by: () => reviewer })
    return createAgent({ model, tools: tools as never, middleware: [middleware], checkpointer })
  }

  async function turn(saver: MemorySaver, calls: HostCall[], input: (agent: Agent) => Promise<unknown>) {
    const agent = agentOn(saver, calls)
    let result: object = {}
    let failure: string | undefined
    try {
      result = (await agent.invoke((await input(agent)) as never, config)) as object
    } catch (error) {
      failure = String(error)
    }
    return turnOf({ calls, result, failure, saver })
  }

  return {
    call: (calls) =>
      turn(new MemorySaver(), [...calls], async () => ({ messages: [{ role: 'user', content: 'Pay.' }] })),
    resume: async (saved, answers) => {
      const { calls, storage, writes } = unpack(saved)
      const saver = Object.assign(new MemorySaver(), { storage, writes })
      return turn(saver, calls, (agent) => resuming(agent, { calls, held, config, answers }))
    },
    tamper: (saved, callId, args) => withArgs(saved, callId, args),
    forge: async (calls) => {
      const saver = new MemorySaver()
      const messages = [{ role: 'user', content: 'Pay.' }, answerOf(calls)]
      // As if the middleware had let the calls pass: the tools are next.
      await agentOn(saver, calls).graph.updateState(config, { messages }, 'HoldpointMiddleware.after_model')
      return pack(saver, [...calls])
    },
  }
}

type Agent = { graph: { getState(config: object): Promise<unknown> } }

interface Resuming {
  calls: readonly HostCall[]
  held: readonly string[]
  config: object
  answers: readonly HostAnswer[] | undefined
}

/** What the host is invoked with: an answer to each interrupt, or a wake. Without interrupts, it goes on from its checkpoint. */
async function resuming(agent: Agent, { calls, held, config, answers }: Resuming): Promise<Command | null> {
  const { tasks } = (await agent.graph.getState(config)) as {
    tasks: { interrupts: { id: string; value: { actionRequests: { id: string }[] } }[] }[]
  }
  const interrupts = tasks.flatMap((task) => task.interrupts)
  if (interrupts.length === 0) return null
  const asked = calls.filter(({ toolName }) => held.includes(toolName))
  let next = 0
  const resume = interrupts.map(({ id, value }) => {
    const decisions = value.actionRequests.flatMap((action) => {
      const call = asked[next++]
      const answer = answers?.find(({ callId }) => callId === call?.id)
      return answer ? [{ id: action.id, ...decisionOf(answer) }] : []
    })
    return [id, decisions.length > 0 ? { decisions } : { holdpoint: true }]
  })
  return new Command({ resume: Object.fromEntries(resume) as never })
}

function decisionOf({ decision }: HostAnswer): object {
  return decision.type === 'edit' ? { type: 'edit', editedAction: { name: 'pay', args: decision.args } } : decision
}

/** The message of the model. The real ones have ids of their own too. */
function answerOf(calls: readonly HostCall[]): AIMessage {
  const tool_calls = calls.map(({ id, toolName: name, args }) => ({ id, name, args, type: 'tool_call' as const }))
  return new AIMessage({ id: `answer ${calls.map(({ id }) => id).join()}`, content: '', tool_calls })
}

interface Ended {
  calls: HostCall[]
  result: object
  failure: string | undefined
  saver: MemorySaver
}

function turnOf({ calls, result, failure, saver }: Ended): HostTurn {
  const { messages = [], __interrupt__: interrupts = [] } = result as {
    messages?: { getType(): string; tool_call_id?: string; content: unknown; status?: string }[]
    __interrupt__?: unknown[]
  }
  const states = calls.map(({ id }): HostCallState => {
    const message = messages.find((one) => one.getType() === 'tool' && one.tool_call_id === id)
    if (message?.status === 'error') return { id, status: 'refused', message: String(message.content) }
    if (message) return { id, status: 'done', result: message.content as JsonValue }
    if (interrupts.length > 0) return { id, status: 'waiting' }
    return { id, status: 'refused', message: failure ?? 'The host ended without a result.' }
  })
  return { calls: states, saved: pack(saver, calls) }
}

/** Bytes are the text of JSON. */
function pack({ storage, writes }: MemorySaver, calls: HostCall[]): JsonValue {
  const text = JSON.stringify({ calls, storage, writes }, (_key, value: unknown) =>
    value instanceof Uint8Array ? { bytes: JSON.parse(new TextDecoder().decode(value)) as JsonValue } : value,
  )
  return JSON.parse(text) as JsonValue
}

function unpack(saved: JsonValue): Saved {
  return JSON.parse(JSON.stringify(saved), (_key, value: unknown) => {
    const isBytes = typeof value === 'object' && value !== null && 'bytes' in value
    return isBytes ? new TextEncoder().encode(JSON.stringify(value.bytes)) : value
  }) as Saved
}
