import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { InputInvalid } from '../../../protocol/errors/errors.ts'
import type { JsonObject } from '../../../protocol/json/json.ts'
import { jsonObject } from '../../../protocol/message.ts'
import type { ListedTool } from '../../mcp/connection.ts'
import { type Difference, definitionOf, differencesOf, fingerprintOf } from './definitions.ts'

/** How a tool's definition compares with the pinned one. */
export type PinStatus =
  | { readonly is: 'pinned' }
  | { readonly is: 'new' }
  | { readonly is: 'changed'; readonly differences: readonly Difference[] }

const pinFile = z.strictObject({
  version: z.literal(1),
  servers: z.record(z.string(), z.record(z.string(), jsonObject())),
})
type PinFile = z.infer<typeof pinFile>

/**
 * The definitions of tools that somebody has accepted, by server.
 *
 * A server is pinned when it is first listed. From then on a tool that is new or differs is not accepted until `accept` is called. The file is read again
 * when it has changed, so that a running proxy follows the command that pins.
 */
export class Pins {
  readonly #path: string | undefined
  #pins: PinFile = { version: 1, servers: {} }
  #read = ''

  constructor(path: string | undefined) {
    this.#path = path
    this.#refresh()
  }

  /** Pins a server that is not known yet. */
  learn(server: string, tools: readonly ListedTool[]): void {
    this.#refresh()
    if (!Object.hasOwn(this.#pins.servers, server)) this.accept(server, tools)
  }

  /** Pins the definitions of a server as they are. Returns the names of tools that differ from what was pinned. */
  accept(server: string, tools: readonly ListedTool[]): string[] {
    this.#refresh()
    const known = Object.hasOwn(this.#pins.servers, server)
    const changed = known ? tools.filter((tool) => this.statusOf(server, tool).is !== 'pinned') : []
    const definitions = Object.fromEntries(tools.map((tool) => [tool.name, definitionOf(tool)]))
    this.#pins = { version: 1, servers: { ...this.#pins.servers, [server]: definitions } }
    this.#write()
    return changed.map(({ name }) => name)
  }

  statusOf(server: string, tool: ListedTool): PinStatus {
    this.#refresh()
    const tools = Object.hasOwn(this.#pins.servers, server) ? this.#pins.servers[server] : undefined
    const pinned = tools && Object.hasOwn(tools, tool.name) ? (tools[tool.name] as JsonObject) : undefined
    if (!pinned) return { is: 'new' }
    const now = definitionOf(tool)
    if (fingerprintOf(pinned) === fingerprintOf(now)) return { is: 'pinned' }
    return { is: 'changed', differences: differencesOf(pinned, now) }
  }

  #refresh(): void {
    if (this.#path === undefined) return
    const stat = statSync(this.#path, { throwIfNoEntry: false })
    const version = stat ? `${stat.ino}/${stat.mtimeMs}/${stat.size}` : ''
    if (version === this.#read) return
    // A file that was removed pins nothing: servers are pinned anew only by a new proxy or by `accept`.
    if (stat) this.#pins = parsed(this.#path, readFileSync(this.#path, 'utf8'))
    this.#read = version
  }

  #write(): void {
    if (this.#path === undefined) return
    const draft = `${this.#path}.${randomUUID()}.tmp`
    writeFileSync(draft, `${JSON.stringify(this.#pins, undefined, 2)}\n`, { mode: 0o600 })
    renameSync(draft, this.#path)
    this.#refresh()
  }
}

function parsed(path: string, text: string): PinFile {
  try {
    return pinFile.parse(JSON.parse(text))
  } catch {
    throw new InputInvalid(`${path} is not a file of pinned definitions.`)
  }
}
