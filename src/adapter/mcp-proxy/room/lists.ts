import type { ServerCapabilities } from '@modelcontextprotocol/sdk/types.js'
import { messageOf } from '../../../protocol/errors/errors.ts'
import type { JsonObject } from '../../../protocol/json/json.ts'
import { loadSdk } from '../../mcp/sdk.ts'
import { candidates, shownName } from '../upstream/names.ts'
import type { Forwarding, Upstream } from '../upstream/upstream.ts'
import { type AskedRequest, forwardedParams } from '../wire/messages.ts'
import type { RoomParts } from './room.ts'

const MAX_PAGES = 1_000

/** What the servers of a room can do together. Tasks are left out: their calls would not be judged. */
export async function describeAll(parts: RoomParts): Promise<{ capabilities: JsonObject; instructions?: string }> {
  const all = await eachReachable(parts, (upstream) => upstream.describe())
  const capabilities: JsonObject = { tools: { listChanged: true } }
  for (const { value } of all) {
    const {
      tasks: _tasks,
      experimental: _experimental,
      ...known
    } = value.capabilities as ServerCapabilities & JsonObject
    for (const [name, one] of Object.entries(known))
      capabilities[name] = { ...(capabilities[name] as JsonObject | undefined), ...(one as JsonObject) }
  }
  const told = all.flatMap(({ name, value }) =>
    value.instructions === undefined ? [] : [{ name, text: value.instructions }],
  )
  const [only] = told
  if (!only) return { capabilities }
  const instructions = all.length === 1 ? only.text : told.map(({ name, text }) => `${name}:\n${text}`).join('\n\n')
  return { capabilities, instructions }
}

/** The tools of all servers, with their definitions as they are. */
export async function listTools(parts: RoomParts): Promise<JsonObject> {
  const { upstreams } = parts.room
  const all = await eachReachable(parts, (upstream) => upstream.list())
  const tools = all.flatMap(({ name: server, value }) =>
    value.map((tool) => ({ ...tool, name: shownName(upstreams, server, tool.name) })),
  )
  return { tools: tools as unknown as JsonObject[] }
}

/** A list that servers may have: the method that reads it, and where its items are. */
interface ServerList {
  readonly method: string
  readonly key: string
  readonly capability: 'prompts' | 'resources'
}

/** The prompts of a server. */
export const PROMPTS: ServerList = { method: 'prompts/list', key: 'prompts', capability: 'prompts' }

/** The items of a list of all servers: prompts, resources or templates. */
export async function listAll(parts: RoomParts, list: ServerList, { signal }: Forwarding): Promise<JsonObject> {
  const { key, capability } = list
  const { upstreams } = parts.room
  const all = await eachReachable(parts, (upstream) => itemsOf(upstream, list, { signal }))
  const named = all.flatMap(({ name: server, value }) =>
    // Resources are known by their URIs, so their names stay.
    value.map((item) =>
      capability === 'prompts' ? { ...item, name: shownName(upstreams, server, String(item.name)) } : item,
    ),
  )
  return { [key]: named }
}

/** Forwards a request about a prompt to the server that has it. */
export async function aboutPrompt(
  { room }: RoomParts,
  { method, params = {} }: AskedRequest,
  {
    shown,
    rename,
    ...forwarding
  }: Forwarding & { shown: string; rename: (params: JsonObject, name: string) => JsonObject },
): Promise<JsonObject> {
  const found = await findPrompt(room.upstreams, shown, forwarding)
  if (!found) {
    const { McpError, ErrorCode } = (await loadSdk()).types
    throw new McpError(ErrorCode.InvalidParams, `There is no prompt ${shown}.`)
  }
  return found.upstream.request({ method, params: rename(forwardedParams(params), found.name) }, forwarding)
}

/** The server and the prompt that a client means: what it was shown may be cut. */
async function findPrompt(
  upstreams: RoomParts['room']['upstreams'],
  shown: string,
  { signal }: Forwarding,
): Promise<{ upstream: Upstream; name: string } | undefined> {
  for (const [server, upstream] of candidates(upstreams, shown)) {
    if (upstreams.size === 1) return { upstream, name: shown }
    const names = (await itemsOf(upstream, PROMPTS, { signal })).map(({ name }) => String(name))
    const name = names.find((one) => shownName(upstreams, server, one) === shown)
    if (name !== undefined) return { upstream, name }
  }
  return undefined
}

/** Forwards a request about a resource: the first server that knows it answers. */
export async function aboutResource(
  { room }: RoomParts,
  { method, params }: AskedRequest,
  forwarding: Forwarding,
): Promise<JsonObject> {
  let failure: unknown
  for (const upstream of room.upstreams.values()) {
    try {
      const { capabilities } = await upstream.describe()
      if (capabilities.resources) return await upstream.request({ method, params: forwardedParams(params) }, forwarding)
    } catch (error) {
      forwarding.signal.throwIfAborted()
      failure ??= error
    }
  }
  throw failure ?? new Error('No server behind the proxy has resources.')
}

/** The items of a list of one server. */
async function itemsOf(
  upstream: Upstream,
  { method, key, capability }: ServerList,
  { signal }: Forwarding,
): Promise<JsonObject[]> {
  const { capabilities } = await upstream.describe()
  const items: JsonObject[] = []
  let cursor: string | undefined
  for (let page = 0; capabilities[capability] && page < MAX_PAGES && (page === 0 || cursor !== undefined); page++) {
    const answer = await upstream.request({ method, params: cursor === undefined ? {} : { cursor } }, { signal })
    items.push(...((answer[key] ?? []) as JsonObject[]))
    cursor = answer.nextCursor as string | undefined
  }
  return items
}

/** Asks all servers. One that cannot be reached is left out, with a warning; if none can, its error is thrown. */
async function eachReachable<T>(
  { room, warn }: RoomParts,
  ask: (upstream: Upstream) => Promise<T>,
): Promise<{ name: string; value: T }[]> {
  const upstreams = [...room.upstreams.values()]
  const answers = await Promise.allSettled(
    upstreams.map(async (upstream) => ({ name: upstream.name, value: await ask(upstream) })),
  )
  const failed = answers.filter((answer) => answer.status === 'rejected')
  for (const { reason } of failed) warn('mcp_server_failed', messageOf(reason))
  if (failed.length === upstreams.length && failed[0]) throw failed[0].reason
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
}
