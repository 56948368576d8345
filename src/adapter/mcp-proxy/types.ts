import type { Readable, Writable } from 'node:stream'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Gate } from '../../gate.ts'
import type { Auth } from '../../gateway.ts'
import type { WaitLadder } from './call/wait-ladder.ts'
import type { McpProxyServer } from './upstream/server-options.ts'

/** Options of `createMcpProxy`. */
export interface McpProxyOptions {
  /** Judges the calls. Its policies should include `pinnedDefinitions()`: without it, calls of changed tools are refused. */
  gate: Gate
  /** The servers behind the proxy, by name. */
  servers: Readonly<Record<string, McpProxyServer>>
  /** The file of pinned definitions. Servers that it does not name are pinned when they are first listed. Default: in memory. */
  pins?: string
  wait?: WaitLadder
  /** Proves who calls over HTTP. Needed by `fetch` and `listen`: the subject is the principal, and nobody else is admitted. */
  auth?: Auth
  /** Web pages that may call over HTTP, by origin. Default: none. */
  origins?: readonly string[]
  /**
   * How long the connections to the servers stay open for a principal that has no request under way. Its sessions end with them: the client gets 404 and
   * initialises again. Held calls are in the store. A client of `connect` or `stdio` keeps them open. Default 900.
   */
  idleSeconds?: number
  /** How many principals may have connections at the same time. Over HTTP, others are refused with 503 until one is idle. Default 100. */
  maxPrincipals?: number
  /** Gets what goes wrong outside of any answer, such as a server that cannot be reached. */
  onWarning?(warning: { code: string; message: string }): void
}

/** The outcome of `pin`: what is pinned now, by server. */
export type PinnedTools = Readonly<Record<string, { tools: number; changed: readonly string[] }>>

/** Stands between MCP clients and MCP servers, and holds their tool calls for people. */
export interface McpProxy extends AsyncDisposable {
  /** Serves one client over a transport, until it closes. Equal calls attach to each other only within one `principal`. */
  connect(transport: Transport, client: { principal: string }): Promise<void>
  /** Serves the client that started this process, over stdio. Resolves when the client has closed its end. */
  stdio(client: { principal: string; input?: Readable; output?: Writable }): Promise<void>
  /** Serves streamable HTTP. */
  fetch(request: Request): Promise<Response>
  /** Serves streamable HTTP at a port of this machine. Default host: 127.0.0.1. */
  listen(place: { port: number; host?: string }): Promise<{ url: string; close(): Promise<void> }>
  /** Lists the tools of all servers and pins their definitions as they are now. */
  pin(): Promise<PinnedTools>
  /** Ends all connections. Calls that servers run are waited for, `graceSeconds` at most (default 10). */
  close(options?: { graceSeconds?: number }): Promise<void>
}
