// Compiled with `declaration: true` against the built package: whatever a user exports has a type that can be named.
import {
  Agent,
  applyPatchTool,
  askUser,
  CheckpointedChannel,
  choiceForm,
  computerTool,
  createSweeper,
  definePolicy,
  HilMessageStreamContext,
  HoldpointError,
  handoff,
  hostedMcpTool,
  humanInTheLoop,
  InMemoryChannel,
  interrupt,
  memorySession,
  memoryStore,
  memoryStreams,
  notification,
  openDesk,
  previewEdit,
  Runner,
  RunState,
  remoteTool,
  run,
  StreamChannel,
  shadow,
  shellTool,
  storeSession,
  sweep,
  toActionRequests,
  tool,
  toolOutput,
  withoutToolCalls,
} from 'holdpoint'
import { aiSdkModel } from 'holdpoint/ai-sdk'
import { createClient } from 'holdpoint/client'
import { createGateway, jwtAuth, serve } from 'holdpoint/gateway'
import { mcpServer } from 'holdpoint/mcp'
import { ChannelBase, QuestionQueue, toApprovalResponse } from 'holdpoint/ports'
import { postgresStore } from 'holdpoint/postgres'
import { redisStreams } from 'holdpoint/redis'
import { sqliteStore } from 'holdpoint/sqlite'
import { fakeClock, NoopChannel, ScriptedChannel, scriptedModel, storeConformance } from 'holdpoint/testing'
import { z } from 'zod'

export const model = scriptedModel(['Done.'])
export const requests = model.requests
export const pay = tool({
  name: 'pay',
  description: '',
  parameters: z.object({ n: z.number() }),
  execute: ({ n }) => n,
})
export const agent = new Agent({ name: 'clerk', model, tools: [pay], outputType: z.object({ ok: z.boolean() }) })
export const { tools, toolset, model: same } = agent
export const policy = humanInTheLoop({ interruptOn: { pay: true } })
export const other = agent.asTool()
export const passed = handoff(agent)
export const filter = withoutToolCalls
export const rule = definePolicy(
  ({ runContext, messages, message }) => ({ verdict: 'allow', runContext, messages, message }) as never,
)
export const tried = shadow(rule)
export const store = memoryStore()
export const streams = memoryStreams()
export const session = memorySession()
export const stored = storeSession
export const result = await run(agent, 'x')
export const { state, finalOutput, interruptions, usage, error, status } = result
export const [request] = interruptions
export const decided = await state.approve(request!, { always: { uses: 3 } })
export const { decision, questions, answer } = decided
export const batch = await state.decide({ decisions: [] })
export const text = state.toJSON()
export const { tracing, messages } = state
export const loaded = await RunState.load(agent, { threadId: 't', store })
export const streamed = await run(agent, 'x', { stream: true })
export const words = streamed.toTextStream()
export const completed = await streamed.completed
export const events = streamed[Symbol.asyncIterator]()
export const runner = new Runner({ agents: { one: agent } })
export const runs = await runner.run(agent, 'x')
export const thread = agent.thread('t', { channel: new InMemoryChannel() })
export const settled = await thread.prompt('x')
export const stop = thread.subscribe((event) => event.type)
export const { channel } = thread
export const pending = thread.inFlightHitlRequest
export const responded = thread.respond({ answer: true })
export const checkpointed = new CheckpointedChannel({ store, threadId: 't' })
export const line = new StreamChannel({ streams, session: 's' })
export const desk = openDesk({ store })
export const listed = await desk.list()
export const grants = await desk.grants()
export const grant = await desk.grant('g')
export const swept = await sweep(store)
export const sweeper = createSweeper(store, { onError: () => undefined })
export const form = choiceForm({ toolName: 't', title: 'T', options: [] } as never)
export const context = await HilMessageStreamContext.open('s', { streams, owner: 'me' })
export const asked = await interrupt({ source: 'x', body: {} } as never, { stream: 's', streams })
export const told = notification({ text: 'x' }, { stream: 's', streams })
export const actions = toActionRequests(interruptions)
export const shown = await previewEdit(agent, { request: request!, args: {} }, { store })
export const output = toolOutput({ content: 'x' })
export const builtIn = [
  askUser(),
  applyPatchTool({} as never),
  computerTool({} as never),
  shellTool({} as never),
  hostedMcpTool({} as never),
  remoteTool({} as never),
]
export const thrown = (error: unknown) => (HoldpointError.isInstance(error) ? error : undefined)
export const read = await store.read('t')
export const appended = await store.append({ threadId: 't', entries: [] })
export const page = await store.findRequests({})
export const head = await streams.tenant('x')
export const sdk = aiSdkModel({} as never)
export const client = createClient({ url: 'http://localhost' } as never)
export const auth = jwtAuth({ secret: 'x', issuer: 'x', audience: 'x' })
export const gateway = createGateway({ store, streams, auth })
export const server = await serve(gateway, { port: 0 })
export const mcp = await mcpServer({} as never)
export const queue = new QuestionQueue(undefined)
export const added = queue.add({} as never)
export const approval = toApprovalResponse
export const pg = await postgresStore({} as never)
export const redis = redisStreams({} as never)
export const sqlite = sqliteStore({ path: 'x' })
export const clock = fakeClock()
export const doubles = [new NoopChannel(), new ScriptedChannel({ answers: [] })] as const
export const cases = storeConformance
export abstract class Own extends ChannelBase {
  own() {
    return this.queue.head
  }
}
