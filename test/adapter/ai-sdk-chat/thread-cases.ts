import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { z } from 'zod'
import { toUIMessageStream, toUIMessages, type UiMessageChunk } from '../../../src/ai-sdk.ts'
import {
  Agent,
  InMemoryChannel,
  memoryStore,
  openDesk,
  RunState,
  run,
  type Store,
  type Thread,
  tool,
} from '../../../src/index.ts'
import { scriptedModel } from '../../../src/testing.ts'
import { callsOf, type MakeChat, type Part, type Script, saidIn, until } from './page.ts'

/** What a version of the SDK brings. */
export interface Sdk {
  makeChat: MakeChat
  createUIMessageStreamResponse(options: { stream: ReadableStream<UiMessageChunk> }): Response
  readUIMessageStream(options: {
    stream: ReadableStream<UiMessageChunk>
    message?: Message
    terminateOnError: boolean
  }): AsyncIterable<Message>
}

interface Message {
  id: string
  role: string
  parts: Part[]
}

const pay = (id: string, cents: number) => ({ id, name: 'refund', args: { order: 'A-1', cents } })
const held: Script = [{ text: 'One moment.', toolCalls: [pay('c1', 1999)] }, 'It is paid back.']
const two: Script = [{ text: 'One moment.', toolCalls: [pay('c1', 1), pay('c2', 2)] }, 'Both are paid back.']

function makeRefund(runs: number[]) {
  return tool({
    name: 'refund',
    description: 'Pays an order back.',
    parameters: z.object({ order: z.string(), cents: z.number().int() }),
    needsApproval: true,
    execute: ({ cents }) => {
      runs.push(cents)
      return { refunded: cents }
    },
  })
}

/** An agent, its store, and threads as each process would make one. */
function shopOf(script: Script) {
  const store: Store = memoryStore()
  const runs: number[] = []
  const agent = new Agent({
    name: 'support',
    model: scriptedModel(script, { stream: true }),
    tools: [makeRefund(runs)],
  })
  return { store, runs, agent, thread: () => agent.thread('chat-1', { store }) }
}

/** The last form of the message that a page makes of a stream. */
async function read(sdk: Sdk, stream: ReadableStream<UiMessageChunk>, message?: Message): Promise<Message> {
  let last = message
  const given = { stream, ...(message ? { message: structuredClone(message) } : {}), terminateOnError: true }
  for await (const next of sdk.readUIMessageStream(given)) last = next
  ok(last)
  return last
}

/** What `prompt` shows on a page that was empty, while the thread is driven. */
async function asked(sdk: Sdk, thread: Thread<never, never> | ReturnType<Agent['thread']>) {
  const stream = toUIMessageStream(thread)
  const result = (thread as ReturnType<Agent['thread']>).prompt('Refund A-1.')
  const message = await read(sdk, stream)
  return { message, result: await result }
}

const states = ({ parts }: Message) => parts.flatMap(({ toolCallId, state }) => (toolCallId ? [state] : []))
const words = ({ parts }: Message) => parts.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join(' ')

async function chunksOf(stream: ReadableStream<UiMessageChunk>): Promise<UiMessageChunk[]> {
  const chunks: UiMessageChunk[] = []
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return chunks
    chunks.push(value)
  }
}

/** What a thread shows on a page, through the SDK's own reader. The same cases run with both versions. */
export const threadCases: Record<string, (sdk: Sdk) => Promise<void>> = {
  'a thread behind an unmodified page: each POST is a call on a thread of its own': async (sdk) => {
    const { runs, thread, store } = shopOf(held)
    const errors: Error[] = []
    const page = sdk.makeChat({
      id: 'chat-1',
      onError: (error) => errors.push(error),
      fetch: async (_path, init) => {
        const { messages } = JSON.parse(String(init?.body)) as { messages: Message[] }
        const last = messages.at(-1)!
        const live = thread()
        const stream = toUIMessageStream(live)
        const answered = last.parts.find(({ state }) => state === 'approval-responded')?.approval
        const decision = { type: 'approve' } as const
        const call = answered ? live.respond({ id: answered.id, decision, by: 'ann' }) : live.prompt(words(last))
        void call.finally(() => live.close())
        return sdk.createUIMessageStreamResponse({ stream })
      },
    })
    await page.sendMessage({ text: 'Refund A-1.' })
    deepEqual([errors, callsOf(page)[0]?.state, runs], [[], 'approval-requested', []])
    const [request] = (await openDesk({ store }).list({ status: 'open' })).requests
    equal(callsOf(page)[0]?.approval?.id, request?.id)
    await page.addToolApprovalResponse({ id: request?.id, approved: true })
    await until(() => page.status === 'ready' && saidIn(page).includes('It is paid back.'))
    deepEqual(errors, [])
    equal(saidIn(page), 'One moment. It is paid back.')
    deepEqual([callsOf(page).map(({ state }) => state), runs], [['output-available'], [1999]])
    equal(page.messages.length, 2)
  },

  'a stream that is made right after the call shows the same as one that is made before': async (sdk) => {
    const early = await asked(sdk, shopOf(held).thread())
    const thread = shopOf(held).thread()
    const result = thread.prompt('Refund A-1.')
    const late = await read(sdk, toUIMessageStream(thread))
    equal(late.id, (await result).runId)
    equal(early.message.id, early.result.runId)
    deepEqual([words(late), states(late)], [words(early.message), states(early.message)])
    deepEqual(states(late), ['approval-requested'])
  },

  'a thread that is answered goes on in its message, and each approval is shown once': async (sdk) => {
    const { runs, thread } = shopOf(two)
    const first = await asked(sdk, thread())
    deepEqual(states(first.message), ['approval-requested', 'approval-requested'])
    const [one, other] = first.result.requests
    const decision = { type: 'approve' } as const
    let live = thread()
    let stream = toUIMessageStream(live)
    const half = live.respond({ id: one!.id, decision, by: 'ann' })
    const second = await read(sdk, stream, first.message)
    equal((await half).status, 'suspended')
    deepEqual([second.id, states(second)], [first.message.id, ['output-available', 'approval-requested']])
    live = thread()
    stream = toUIMessageStream(live)
    const whole = live.respond({ id: other!.id, decision: { type: 'reject', message: 'No.' }, by: 'ann' })
    const third = await read(sdk, stream, second)
    equal((await whole).status, 'completed')
    deepEqual([states(third), words(third)], [['output-available', 'output-denied'], 'One moment. Both are paid back.'])
    deepEqual(runs, [1])
  },

  'a decision that was made elsewhere shows when the thread is resumed': async (sdk) => {
    const { store, runs, thread } = shopOf(held)
    const { message, result } = await asked(sdk, thread())
    await openDesk({ store }).decide({ request: result.requests[0]!, decision: { type: 'approve' }, by: 'ann' })
    const live = thread()
    const stream = toUIMessageStream(live)
    void live.resume()
    const after = await read(sdk, stream, message)
    deepEqual([states(after), words(after), runs], [['output-available'], 'One moment. It is paid back.', [1999]])
  },

  'a streamed run that is resumed goes on in its message, and each approval is shown once': async (sdk) => {
    const { store, agent } = shopOf(two)
    const begun = await run(agent, 'Refund A-1.', { store, threadId: 'chat-1', stream: true })
    const first = await read(sdk, toUIMessageStream(begun))
    const state = await RunState.load(agent, { store, threadId: 'chat-1' })
    await state.approve(state.interruptions[0]!, { by: 'ann' })
    const second = await read(sdk, toUIMessageStream(await run(agent, state, { stream: true })), first)
    deepEqual([second.id, states(second)], [first.id, ['output-available', 'approval-requested']])
  },

  'an approval that a nested agent needs is a part of its own, and is shown once': async (sdk) => {
    const store = memoryStore()
    const runs: number[] = []
    const clerk = new Agent({
      name: 'clerk',
      model: scriptedModel([{ toolCalls: [pay('n1', 5)] }, 'Paid.']),
      tools: [makeRefund(runs)],
    })
    const ask = clerk.asTool({ name: 'ask_clerk', description: 'Asks the clerk.' })
    const model = scriptedModel([{ toolCalls: [{ id: 'c1', name: 'ask_clerk', args: { input: 'Pay.' } }] }, 'Done.'])
    const agent = new Agent({ name: 'support', model, tools: [ask] })
    const { message, result } = await asked(sdk, agent.thread('chat-1', { store }))
    deepEqual(states(message), ['input-available', 'approval-requested'])
    const live = agent.thread('chat-1', { store })
    const stream = toUIMessageStream(live)
    void live.respond({ id: result.requests[0]!.id, decision: { type: 'approve' }, by: 'ann' })
    const after = await read(sdk, stream, message)
    deepEqual([states(after), words(after), runs], [['output-available', 'output-available'], 'Done.', [5]])
  },

  'a run that fails, and a call that is refused, end the stream with the code alone': async () => {
    const { thread } = shopOf([
      () => {
        throw new Error('the key is sk-secret')
      },
    ] as never)
    const live = thread()
    const failing = toUIMessageStream(live)
    const result = live.prompt('Hello.')
    const chunks = await chunksOf(failing)
    equal((await result).status, 'failed')
    match(JSON.stringify(chunks.at(-1)), /"error".*The run failed \([a-z_]+\)/)
    ok(!JSON.stringify(chunks).includes('sk-secret'))
    const refused = toUIMessageStream(live)
    await rejects(live.respond({ id: 'no-such-request', decision: { type: 'approve' }, by: 'ann' }))
    equal((await chunksOf(refused)).at(-1)?.type, 'error')
  },

  'a stream of a thread that is closed ends, and one that is cancelled leaves the thread alone': async (sdk) => {
    const { thread, runs } = shopOf(held)
    const live = thread()
    await toUIMessageStream(live).cancel()
    const { message } = await asked(sdk, live)
    deepEqual([states(message), runs], [['approval-requested'], []])
    const idle = toUIMessageStream(live)
    await live.close()
    const chunks = await chunksOf(idle)
    equal(chunks.at(-1)?.type, 'error')
    await rejects(live.nextResult(), { code: 'thread_closed' })
  },

  'a thread with a channel shows what it waits for, and its stream goes on when that is answered': async (sdk) => {
    const { agent, store } = shopOf(held)
    const live = agent.thread('chat-1', { store, channel: new InMemoryChannel() })
    const stream = toUIMessageStream(live)
    const result = live.prompt('Refund A-1.')
    const seen: string[] = []
    let last: Message | undefined
    for await (const message of sdk.readUIMessageStream({ stream, terminateOnError: true })) {
      last = message
      const [state] = states(message)
      if (state !== undefined && seen.at(-1) !== state) seen.push(state)
      if (state === 'approval-requested' && live.inFlightHitlRequest)
        void live.respond({ id: live.inFlightHitlRequest.id, decision: { type: 'approve' }, by: 'ann' })
    }
    equal((await result).status, 'completed')
    deepEqual(
      [seen.at(-1), seen.includes('approval-requested'), words(last!)],
      ['output-available', true, 'One moment. It is paid back.'],
    )
  },

  'the state of a thread has its whole conversation': async (sdk) => {
    const { thread } = shopOf(held)
    const live = thread()
    await rejects(live.state(), { code: 'thread_not_found' })
    const { message } = await asked(sdk, live)
    const messages = toUIMessages(await live.state())
    deepEqual(
      messages.map(({ role }) => role),
      ['user', 'assistant'],
    )
    deepEqual([messages[1]?.id, states(messages[1] as Message)], [message.id, ['approval-requested']])
  },
}
