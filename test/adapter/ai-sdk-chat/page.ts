import { z } from 'zod'
import { createChatHandler } from '../../../src/ai-sdk.ts'
import type { Auth } from '../../../src/gateway.ts'
import { Agent, type JsonObject, memoryStore, openDesk, type Store, tool } from '../../../src/index.ts'
import { scriptedModel } from '../../../src/testing.ts'

/** A part of a message of the page. */
export interface Part {
  type: string
  text?: string
  state?: string
  toolName?: string
  toolCallId?: string
  input?: JsonObject
  output?: unknown
  errorText?: string
  data?: JsonObject
  approval?: { id: string; approved?: boolean; descriptor?: { version: number; allowedDecisions: string[] } }
}

/** The SDK's own chat, as a page has it. */
export interface Chat {
  readonly id: string
  messages: { id: string; role: string; parts: Part[] }[]
  readonly status: string
  readonly error: Error | undefined
  sendMessage(message?: { text: string }, options?: object): Promise<void>
  regenerate(): Promise<void>
  resumeStream(): Promise<void>
  addToolApprovalResponse(answer: object): Promise<void>
}

/** Makes the chat of one version of the SDK. */
export type MakeChat = (options: {
  id: string
  messages?: object[]
  fetch: typeof fetch
  onError: (error: Error) => void
}) => Chat

/** Callers are named by their bearer token. */
const auth: Auth = {
  authenticate: async ({ header }) => {
    const [, sub] = /^Bearer (.+)$/.exec(header('authorization') ?? '') ?? []
    if (sub === undefined) return { ok: false, detail: 'Sign in first.' }
    return { ok: true, caller: { sub, tenant: 'default', roles: sub === 'robot' ? ['agent'] : [], groups: [] } }
  },
}

/** What a scripted model says. */
export type Script = Parameters<typeof scriptedModel>[0]

/** What a test changes about a shop. */
export interface ShopOptions {
  store?: Store
  /** Its agent, made of the usual one's settings. */
  agent?: (usual: Settings) => Settings
}

type Settings = ConstructorParameters<typeof Agent<JsonObject, string>>[0]

/** A server with one agent, and the pages that use it. Each request is answered by a handler of its own, as after a restart. */
export class Shop {
  readonly makeChat: MakeChat
  readonly store: Store
  readonly runs: JsonObject[] = []
  readonly requests: { method: string; path: string; status: number }[] = []
  readonly errors: Error[] = []
  /** What the server was told. */
  readonly failures: Error[] = []
  readonly agent: Agent

  constructor(makeChat: MakeChat, script: Script, { store = memoryStore(), agent }: ShopOptions = {}) {
    this.makeChat = makeChat
    this.store = store
    const refund = tool({
      name: 'refund',
      description: 'Pays an order back.',
      parameters: z.object({ order: z.string(), cents: z.number().int() }),
      needsApproval: true,
      execute: (args) => {
        this.runs.push(args)
        return { refunded: args.cents }
      },
    })
    const look = tool({
      name: 'look_up',
      description: 'Finds an order.',
      parameters: z.object({ order: z.string() }),
      execute: ({ order }) => ({ order, cents: 1999 }),
    })
    const settings = { name: 'support', model: scriptedModel(script, { stream: true }), tools: [refund, look] }
    this.agent = new Agent(agent ? agent(settings) : settings)
  }

  /** Sends a request, as `sub`. */
  async fetch(sub: string, input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const handle = createChatHandler({
      agent: this.agent,
      store: this.store,
      auth,
      onError: (error) => this.failures.push(error),
    })
    const request = new Request(new URL(String(input), 'http://shop.test'), init)
    request.headers.set('authorization', `Bearer ${sub}`)
    const response = await handle(request)
    this.requests.push({ method: request.method, path: new URL(request.url).pathname, status: response.status })
    return response
  }

  /** Posts a body past the page. */
  post(sub: string, body: unknown): Promise<Response> {
    const headers = { 'content-type': 'application/json' }
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return this.fetch(sub, '/api/chat', { method: 'POST', headers, body: text })
  }

  /** A page of a user. */
  page(sub = 'ann', messages: object[] = [], id = 'chat-1'): Chat {
    return this.makeChat({
      id,
      messages,
      fetch: (input, init) => this.fetch(sub, input as string, init),
      onError: (error) => this.errors.push(error),
    })
  }

  /** The open requests of the inbox. */
  async open() {
    return (await openDesk({ store: this.store }).list({ status: 'open' })).requests
  }
}

/** The tool parts of a page. */
export function callsOf({ messages }: Chat): Part[] {
  return messages.flatMap(({ parts }) => parts.filter(({ toolCallId }) => toolCallId !== undefined))
}

/** What the assistant said, in one string. */
export function saidIn({ messages }: Chat): string {
  const parts = messages.filter(({ role }) => role === 'assistant').flatMap((message) => message.parts)
  return parts.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join(' ')
}

/** Waits until a page is in a state. */
export async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; !isSo(); ) {
    if (Date.now() > end) throw new Error(`not within a minute: ${isSo.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
