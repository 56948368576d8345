import { McpServerInvalid } from '../../protocol/errors/errors.ts'
import type { Tool } from '../../runtime/definition/definition.ts'
import type { CompileBudget } from '../../schema/compile.ts'
import { Connection, type ListedTool } from './connection.ts'
import { checkOptions, type McpServerOptions, type McpSettings } from './options.ts'
import { toOutput } from './results.ts'
import { infoOf, toTool } from './tools.ts'
import { openerOf, recipientOf } from './transports.ts'

/** The tools of one MCP server, for agents. */
export interface McpServerHandle extends AsyncDisposable {
  readonly name: string
  /** Connects, unless already connected. */
  connect(): Promise<void>
  /**
   * Its current tools, to pass to an agent. They follow changes of their definitions; new tools appear in the next
   * call.
   */
  tools(): Promise<Tool[]>
  /** Ends the connection, and the program that was started for it. */
  close(): Promise<void>
}

/**
 * Describes an MCP server. Nothing is started before its tools are listed. Its tools need approval unless
 * `requireApproval` says otherwise. They are named `namespace__tool`; policies may also use `namespace.tool`.
 */
export function mcpServer(options: McpServerOptions): McpServerHandle {
  const settings = { ...checkOptions(options), recipient: recipientOf(options) }
  const catalogue = new Catalogue(settings, (listed, budget) => {
    const { name } = listed
    const made: Tool = toTool(listed, { ...settings, budget }, async (args, ctx) => {
      const { signal, idempotencyKey, fencingToken } = ctx
      const objection = (): string | undefined => {
        const now = catalogue.find(name)
        if (!now) return `it no longer has the tool ${name}; the call was not run`
        return now.fingerprint === made.fingerprint
          ? undefined
          : `it changed the definition of ${name} since the call was cleared; the call was not run`
      }
      return toOutput(await connection.call({ name, args, signal, idempotencyKey, fencingToken, objection }))
    })
    return made
  })
  const connection = new Connection(settings, openerOf(options), { onList: (tools) => catalogue.replace(tools) })
  const connect = async (): Promise<void> => {
    await connection.ready()
  }
  const close = (): Promise<void> => connection.close()
  return {
    name: settings.name,
    connect,
    async tools() {
      await connection.list(await connection.ready())
      return catalogue.tools()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The time limit for compiling the schemas of a whole list. */
const LIST_COMPILE_MS = 3_000

/** The server's tools, by the server's own names. A tool with an unchanged definition stays the same object. */
class Catalogue {
  readonly #settings: McpSettings
  readonly #make: (listed: ListedTool, budget: CompileBudget) => Tool
  #tools: ReadonlyMap<string, Tool> = new Map()

  constructor(settings: McpSettings, make: (listed: ListedTool, budget: CompileBudget) => Tool) {
    this.#settings = settings
    this.#make = make
  }

  find(name: string): Tool | undefined {
    return this.#tools.get(name)
  }

  tools(): Tool[] {
    return [...this.#tools.values()]
  }

  /** Takes a new list. Throws, and keeps the old one, if the options do not match it. */
  replace(listed: readonly ListedTool[]): void {
    const { name: server, approval, toolFilter } = this.#settings
    const names = new Set(listed.map(({ name }) => name))
    if (names.size < listed.length) throw new McpServerInvalid(server, 'it lists two tools of the same name')
    const asked = [...approval.named.keys(), ...(Array.isArray(toolFilter) ? toolFilter : [])]
    const missing = asked.find((name) => !names.has(name))
    if (missing !== undefined) {
      const has = [...names].join(', ') || 'none'
      throw new McpServerInvalid(server, `it has no tool "${missing}", which its options name. Its tools: ${has}`)
    }
    const tools = new Map<string, Tool>()
    const budget: CompileBudget = { leftMs: LIST_COMPILE_MS }
    for (const one of listed) if (this.#takes(one)) tools.set(one.name, this.#keepOrMake(one, budget))
    this.#tools = tools
  }

  #takes(listed: ListedTool): boolean {
    const { name: server, toolFilter } = this.#settings
    if (toolFilter === undefined) return true
    if (typeof toolFilter !== 'function') return toolFilter.includes(listed.name)
    const taken: unknown = toolFilter(infoOf(listed))
    if (typeof taken !== 'boolean') throw new McpServerInvalid(server, 'its toolFilter did not return a boolean')
    return taken
  }

  #keepOrMake(listed: ListedTool, budget: CompileBudget): Tool {
    const { name } = listed
    const made = this.#make(listed, budget)
    const known = this.#tools.get(name)
    if (known?.fingerprint === made.fingerprint) return known
    // A removed tool stays as last known: calling it reports the removal.
    const self: Tool = Object.freeze({ ...made, current: () => this.#tools.get(name) ?? self })
    return self
  }
}
