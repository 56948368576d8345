import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { createGateway, type Gateway, type GatewayOptions, jwtAuth } from '../../../src/gateway.ts'
import { Agent, definePolicy, type JsonObject, run, type Store, tool } from '../../../src/index.ts'
import { postgresStore } from '../../../src/postgres.ts'
import type { RequestDetail, RequestItem } from '../../../src/protocol/api/requests.ts'
import type { Risk } from '../../../src/protocol/request.ts'
import { sqliteStore } from '../../../src/sqlite.ts'
import { type ScriptStep, scriptedModel } from '../../../src/testing.ts'
import { SECRET, tokenOf } from './served-gateway.ts'

/** A person as a token names them. */
export interface Person {
  sub: string
  roles?: string[]
  groups?: string[]
  tenant?: string
}

/** What a call came back with. */
export interface Answered<T = never> {
  status: number
  body: T & { code?: string; detail?: string; request?: RequestItem; problems?: string[] }
  headers: Headers
  text: string
}

/** A store on disk that is gone when the test is over. */
export function diskStore(): Store {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-v1-'))
  const store = sqliteStore({ path: join(folder, 'store.db') })
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return store
}

/** A store in a schema of its own that is closed when the test is over. */
export function serverStore(connectionString: string, schema: string): Store {
  const store = postgresStore({ connectionString, schema })
  onTestFinished(() => store.close())
  return store
}

/** Callers of one gateway, without a server in between. */
export function inboxOf(store: Store, options: Partial<GatewayOptions> = {}) {
  const auth = jwtAuth({ secret: SECRET, issuer: 'tests', audience: 'gateway' })
  const gateway = createGateway({ auth, store, undoSeconds: 0, ...options })
  return { gateway, as: (person: Person) => callerOf(gateway, person) }
}

/** One person at a gateway. */
export function callerOf(gateway: Gateway, { sub, ...claims }: Person) {
  async function call<T>(
    method: string,
    path: string,
    given: { body?: unknown; key?: string } = {},
  ): Promise<Answered<T>> {
    const response = await gateway.request(path, {
      method,
      headers: {
        authorization: `Bearer ${await tokenOf(sub, { ...claims })}`,
        ...(given.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(given.key === undefined ? {} : { 'idempotency-key': given.key }),
      },
      ...(given.body === undefined ? {} : { body: JSON.stringify(given.body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type') === 'application/json'
    return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers, text }
  }
  return {
    get: <T>(path: string) => call<T>('GET', path),
    post: <T>(path: string, body: unknown = {}, key?: string) =>
      call<T>('POST', path, { body, ...(key === undefined ? {} : { key }) }),
    list: async (query = '') =>
      (await call<{ requests: RequestItem[]; next?: string }>('GET', `/v1/requests${query}`)).body,
    show: async (id: string) => (await call<RequestDetail>('GET', `/v1/requests/${id}`)).body,
  }
}

/** A call that an agent makes, and who is asked about it. */
export interface AskedCall {
  tool?: string
  args?: JsonObject
  /** Lists of reviewers, one for each policy. Default: anybody. */
  lists?: string[][]
  risk?: Risk
}

/** An agent whose tools ask for whatever `AskedCall` says. */
export function askingAgent(asked: readonly AskedCall[], options: { ran?: unknown[]; words?: string } = {}): Agent {
  const names = [...new Set(asked.map(({ tool: name = 'refund' }) => name))]
  const tools = names.map((name) =>
    tool({
      name,
      description: name,
      parameters: z.record(z.string(), z.json()),
      needsApproval: true,
      execute: (args) => {
        options.ran?.push([name, args])
        return `${name} done with ${JSON.stringify(args)}`
      },
    }),
  )
  const toolCalls = asked.map(({ tool: name = 'refund', args = {} }, index) => ({ id: `c${index}`, name, args }))
  const first: ScriptStep = options.words === undefined ? { toolCalls } : { text: options.words, toolCalls }
  const most = Math.max(0, ...asked.map(({ lists = [] }) => lists.length))
  const policy = Array.from({ length: Math.max(1, most) }, (_, nth) =>
    definePolicy(
      ({ toolCallId }) => {
        const { lists, risk } = asked[Number(toolCallId.slice(1))] ?? {}
        const reviewers = lists?.[nth]
        return { verdict: 'review', ...(reviewers ? { reviewers } : {}), ...(risk ? { risk } : {}) }
      },
      { name: `policy-${nth}` },
    ),
  )
  return new Agent({ name: 'clerk', model: scriptedModel([first, 'Done.', 'Done.']), tools, policy })
}

/** Lets an agent ask in a thread of its own; resolves to the ids of its requests, in the order of its calls. */
export async function ask(store: Store, threadId: string, ...asked: AskedCall[]): Promise<string[]> {
  const result = await run(askingAgent(asked), `please: ${threadId}`, { store, threadId })
  return result.interruptions.map(({ id }) => id)
}

/** What a decision must name of a request, as it is shown now. */
export function seen({ version, digest }: RequestItem): { version: number; digest?: string } {
  return { version, ...(digest === undefined ? {} : { digest }) }
}
