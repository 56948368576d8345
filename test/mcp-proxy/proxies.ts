import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type CallToolResult, CallToolResultSchema, type ClientCapabilities } from '@modelcontextprotocol/sdk/types.js'
import { onTestFinished } from 'vitest'
import { createGate, type Gate, type GateOptions } from '../../src/gate.ts'
import { type HitlRequest, humanInTheLoop, memoryStore, openDesk, type Policy, type Store } from '../../src/index.ts'
import { createMcpProxy, type McpProxy, type McpProxyOptions, pinnedDefinitions } from '../../src/mcp.ts'
import { until } from '../support/until.ts'
import { serveChanging } from './changing-server.js'

const { resolve } = createRequire(import.meta.url)

const EVERYTHING = '@modelcontextprotocol/server-everything/dist'
const { createServer } = (await import(resolve(`${EVERYTHING}/server/index.js`))) as {
  createServer(): { server: McpServer; cleanup(): void }
}

/** A server from npm that nobody here wrote, in this process: a new one for each connection. */
export const everything = {
  transport: async (): Promise<Transport> => {
    const { server, cleanup } = createServer()
    const [near, far] = InMemoryTransport.createLinkedPair()
    server.server.onclose = cleanup
    await server.connect(far)
    return near
  },
}

/** The same as a program. */
export const everythingProgram = {
  command: process.execPath,
  args: [resolve(`${EVERYTHING}/index.js`), 'stdio'],
  stderr: 'ignore',
} as const

/** Another one, which is a program only. */
export function filesystem(folder: string) {
  const args = [resolve('@modelcontextprotocol/server-filesystem/dist/index.js'), folder]
  return { command: process.execPath, args, stderr: 'ignore' } as const
}

/** A server of ours, whose tools and whose pace are decided by files: in this process, or as a program. */
export function changing() {
  const folder = tempDir()
  const at = (name: string): string => join(folder, name)
  const define = (...tools: object[]): void => writeFileSync(at('tools.json'), JSON.stringify(tools))
  define(PAY)
  const files = { definitions: at('tools.json'), log: at('log') }
  const transport = async (): Promise<Transport> => {
    const [near, far] = InMemoryTransport.createLinkedPair()
    await serveChanging(far, { ...files, die: () => far.close() })
    return near
  }
  const program = { command: process.execPath, args: [CHANGING, JSON.stringify(files)] }
  // The last line may be half written.
  const lines = (): string[] => (existsSync(at('log')) ? readFileSync(at('log'), 'utf8').split('\n').slice(0, -1) : [])
  const calls = (): unknown[] => lines().map((line) => JSON.parse(line) as unknown)
  const [servers, programs] = [{ bank: { transport } }, { bank: program }]
  return { folder, define, calls, pins: at('pins.json'), servers, programs }
}

const CHANGING = fileURLToPath(new URL('changing-program.js', import.meta.url))

/** What that server offers at first. */
export const PAY = {
  name: 'pay',
  description: 'Pays.',
  inputSchema: { type: 'object', properties: { cents: { type: 'number' } }, required: ['cents'] },
}

/** A folder of its own, gone when the test is over. */
export function tempDir(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-proxy-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

export const ann = { kind: 'person', id: 'ann' } as const

export interface Setup extends Partial<Omit<McpProxyOptions, 'gate'>> {
  store?: Store
  policy?: Policy
  gate?: Partial<GateOptions>
}

/** A proxy in this process, before the given servers. `signals` are those of the clients that waited, in order: one fires when its client gave up. */
export function proxyOf({ store = memoryStore(), policy = held('*'), gate, ...options }: Setup): {
  proxy: McpProxy
  store: Store
  signals: AbortSignal[]
} {
  const signals: AbortSignal[] = []
  const inner = createGate({ store, policy: [policy, pinnedDefinitions()], source: 'mcp', ...gate })
  const watched: Gate = {
    ...inner,
    wait: (call, given = {}) => {
      if (given.signal) signals.push(given.signal)
      return inner.wait(call, given)
    },
    execute: (call, run, given = {}) => {
      if (given.signal) signals.push(given.signal)
      return inner.execute(call, run, given)
    },
  }
  const proxy = createMcpProxy({ servers: {}, wait: { holdSeconds: 60 }, ...options, gate: watched })
  onTestFinished(() => proxy.close())
  return { proxy, store, signals }
}

/** A policy that holds the tools that a pattern names. */
export function held(...patterns: string[]): Policy {
  return humanInTheLoop({ interruptOn: Object.fromEntries(patterns.map((pattern) => [pattern, true])) })
}

/** The real SDK's client at a proxy. */
export async function clientOf(
  proxy: McpProxy,
  { principal = 'tester', capabilities = {} }: { principal?: string; capabilities?: ClientCapabilities } = {},
): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  await proxy.connect(far, { principal })
  const client = new Client({ name: 'test', version: '1' }, { capabilities })
  await client.connect(near)
  onTestFinished(() => client.close())
  return client
}

/** A call of a tool, without the checks of the client. */
export async function callOf(
  client: Client,
  name: string,
  args: object,
  signal?: AbortSignal,
): Promise<CallToolResult> {
  const params = { name, arguments: args as Record<string, unknown> }
  return client.request({ method: 'tools/call', params }, CallToolResultSchema, {
    timeout: 120_000,
    ...(signal ? { signal } : {}),
  })
}

export async function openRequests(store: Store): Promise<HitlRequest[]> {
  return (await openDesk({ store }).list({ status: 'open' })).requests
}

/** Waits until so many requests are open, and returns them, the oldest first. */
export async function asked(store: Store, count = 1): Promise<HitlRequest[]> {
  await until(async () => (await openRequests(store)).length === count)
  return (await openRequests(store)).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
}

export async function approve(store: Store, request: HitlRequest): Promise<void> {
  await openDesk({ store }).decide({ request, decision: { type: 'approve' }, by: ann })
}

export function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : `<${part.type}>`)).join('\n')
}
