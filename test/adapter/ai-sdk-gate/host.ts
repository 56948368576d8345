import { z } from 'zod'
import { type AbsorbedAnswer, aiSdkGate } from '../../../src/ai-sdk.ts'
import { createGate, type Gate, type GateOptions } from '../../../src/gate.ts'
import { humanInTheLoop, type JsonObject, memoryStore, openDesk, type Store } from '../../../src/index.ts'

/** The used part of the AI SDK, in both versions. */
export interface Sdk {
  streamText(options: object): { toUIMessageStream(options: object): AsyncIterable<unknown> & object }
  generateText(options: object): Promise<{
    text: string
    content: { type: string }[]
    response: { messages: object[] }
    /** The messages of all steps, in version 7. */
    responseMessages?: object[]
  }>
  convertToModelMessages(messages: object[]): Promise<object[]>
  readUIMessageStream(options: object): AsyncIterable<UiMessage>
  tool(definition: object): object
  jsonSchema(schema: object): object
  stepCountIs(count: number): unknown
  ToolLoopAgent: new (
    settings: object,
  ) => {
    stream(options: object): Promise<ReturnType<Sdk['streamText']>>
    generate(options: object): ReturnType<Sdk['generateText']>
  }
}

/** A tool part of the page. */
export interface Part {
  type: string
  state?: string
  toolCallId?: string
  input?: JsonObject
  output?: unknown
  errorText?: string
  text?: string
  approval?: { id: string; approved?: boolean; reason?: string }
}

/** A message of the page. */
export interface UiMessage {
  id: string
  role: 'user' | 'assistant'
  parts: Part[]
}

/** What the scripted model says in one step. */
export type Step = string | { id: string; name: string; args: JsonObject }[]

export const ann = { kind: 'person', id: 'ann' } as const

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** A model of the SDK that says what it is told to, and keeps what it was asked. */
export function scripted(steps: readonly Step[]): { prompts: unknown[]; model: object } {
  const prompts: unknown[] = []
  const next = ({ prompt }: { prompt: unknown }): Step => {
    prompts.push(prompt)
    return steps[prompts.length - 1] ?? 'Done.'
  }
  const finish = (step: Step) => {
    const unified = typeof step === 'string' ? 'stop' : 'tool-calls'
    return { usage, finishReason: { unified, raw: unified } }
  }
  const callsOf = (step: Step) =>
    typeof step === 'string'
      ? []
      : step.map(({ id, name, args }) => ({
          type: 'tool-call',
          toolCallId: id,
          toolName: name,
          input: JSON.stringify(args),
        }))
  const model = {
    specificationVersion: 'v3',
    provider: 'acme.chat',
    modelId: 'm1',
    supportedUrls: {},
    doGenerate: async (options: { prompt: unknown }) => {
      const step = next(options)
      const content = typeof step === 'string' ? [{ type: 'text', text: step }] : callsOf(step)
      return { content, warnings: [], ...finish(step) }
    },
    doStream: async (options: { prompt: unknown }) => {
      const step = next(options)
      const text =
        typeof step === 'string'
          ? [
              { type: 'text-start', id: '1' },
              { type: 'text-delta', id: '1', delta: step },
              { type: 'text-end', id: '1' },
            ]
          : []
      const parts = [
        { type: 'stream-start', warnings: [] },
        ...text,
        ...callsOf(step),
        { type: 'finish', ...finish(step) },
      ]
      return { stream: ReadableStream.from(parts) }
    },
  }
  return { prompts, model }
}

/** What a test changes about an application. */
export interface AppOptions {
  steps: readonly Step[]
  store?: Store
  gate?: Partial<GateOptions>
  /** Replaces the body of the refund. */
  refund?: (input: { order: string; cents: number }) => unknown
  tools?: Record<string, object>
}

/** An application of the AI SDK with a page: refunds need a person, looking up is free, `drop` is denied. */
export class App {
  readonly sdk: Sdk
  readonly store: Store
  readonly gate: Gate
  readonly runs: unknown[] = []
  readonly prompts: unknown[]
  /** The page. */
  messages: UiMessage[] = []
  absorbed: AbsorbedAnswer[] = []
  readonly #model: object
  readonly #tools: Record<string, object>

  constructor(sdk: Sdk, { steps, store = memoryStore(), gate = {}, refund, tools = {} }: AppOptions) {
    const policy = humanInTheLoop({ interruptOn: { refund: true, drop: false, look_up: false, count: true } })
    this.sdk = sdk
    this.store = store
    this.gate = createGate({ store, policy, source: 'ai-sdk', ...gate })
    const { prompts, model } = scripted(steps)
    this.prompts = prompts
    this.#model = model
    this.#tools = {
      refund: sdk.tool({
        description: 'Pays an order back.',
        inputSchema: z.object({ order: z.string(), cents: z.number().int().max(100_000) }),
        execute: (input: { order: string; cents: number }) => {
          this.runs.push(input)
          return refund ? refund(input) : Promise.resolve({ refunded: input.cents })
        },
      }),
      look_up: sdk.tool({
        description: 'Finds an order.',
        inputSchema: z.object({ order: z.string() }),
        execute: async ({ order }: { order: string }) => {
          this.runs.push({ looked: order })
          return { order, cents: 1999 }
        },
      }),
      ...tools,
    }
  }

  /** The gate of one request of the page. */
  gated(by: { kind: 'person'; id: string } | null = ann, more: { threadId?: string; principal?: string } = {}) {
    const given = { threadId: 'chat-1', principal: 'shop', ...(by ? { by } : {}), ...more }
    return aiSdkGate(this.gate, { ...given, tools: this.#tools })
  }

  /** What the page posts, and the server answers: as in the guide. */
  async post(body?: unknown, by: { kind: 'person'; id: string } | null = ann): Promise<Part[]> {
    const g = this.gated(by)
    this.absorbed = await g.absorb(this.messages, body)
    const history = await g.reconcile(this.messages)
    const result = this.sdk.streamText({
      model: this.#model,
      tools: g.tools,
      toolApproval: g.toolApproval,
      stopWhen: this.sdk.stepCountIs(5),
      messages: await this.sdk.convertToModelMessages(history),
      onError: () => undefined,
    })
    const last = this.messages.at(-1)
    const message = last?.role === 'assistant' ? structuredClone(last) : undefined
    const stream = result.toUIMessageStream({
      originalMessages: this.messages,
      generateMessageId: () => `m${Math.random()}`,
    })
    let answer: UiMessage | undefined
    let failure: unknown
    const onError = (error: unknown) => {
      failure = error
    }
    for await (const one of this.sdk.readUIMessageStream({ message, stream, onError })) answer = one
    if (failure) throw failure
    if (answer) this.messages = [...(message ? this.messages.slice(0, -1) : this.messages), structuredClone(answer)]
    return this.calls
  }

  /** A message of the user, and the answer to it. */
  say(text: string): Promise<Part[]> {
    this.messages.push({ id: `u${this.messages.length}`, role: 'user', parts: [{ type: 'text', text }] })
    return this.post()
  }

  /** Every tool part of the page. */
  get calls(): Part[] {
    return this.messages.flatMap(({ parts }) => parts.filter(({ toolCallId }) => toolCallId !== undefined))
  }

  /** What the assistant said last. */
  get text(): string | undefined {
    return this.messages.flatMap(({ parts }) => parts.filter(({ type }) => type === 'text')).at(-1)?.text
  }

  /** A click on the page: as `addToolApprovalResponse` changes a part. */
  click(approved: boolean, { id, reason }: { id?: string; reason?: string } = {}): void {
    for (const part of this.calls) {
      if (part.state !== 'approval-requested' || (id !== undefined && part.toolCallId !== id)) continue
      part.state = 'approval-responded'
      part.approval = { ...part.approval!, approved, ...(reason === undefined ? {} : { reason }) }
    }
  }

  /** The open requests of the inbox. */
  async open() {
    return (await openDesk({ store: this.store }).list({ status: 'open' })).requests
  }
}
