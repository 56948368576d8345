import type { ListedTool } from '../../mcp/connection.ts'
import { modelName, policyName } from '../../mcp/names.ts'
import type { Upstream } from './upstream.ts'

/** The names that clients see: the server's own, or `server__name` if there are several servers. */
export function shownName(upstreams: ReadonlyMap<string, Upstream>, server: string, name: string): string {
  return upstreams.size === 1 ? name : modelName(server, name)
}

/** The name of a tool for policies and people: `server.tool`. */
export function gateName(server: string, tool: string): string {
  return policyName(server, tool) ?? modelName(server, tool)
}

/** The server and the tool that a client means. */
export async function findTool(
  upstreams: ReadonlyMap<string, Upstream>,
  shown: string,
): Promise<{ upstream: Upstream; listed: ListedTool } | undefined> {
  for (const [server, upstream] of candidates(upstreams, shown)) {
    const listed = (await upstream.tools()).find(({ name }) => shownName(upstreams, server, name) === shown)
    if (listed) return { upstream, listed }
  }
  return undefined
}

/** The servers that a prefixed name may be of. A name that was cut keeps its prefix. */
export function candidates(upstreams: ReadonlyMap<string, Upstream>, shown: string): [string, Upstream][] {
  return [...upstreams].filter(([server]) => upstreams.size === 1 || shown.startsWith(`${server}__`))
}
