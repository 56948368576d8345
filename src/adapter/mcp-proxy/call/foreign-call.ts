import type { ForeignCall } from '../../../gate.ts'
import { canonicalJson, sha256 } from '../../../protocol/json/canonical.ts'
import type { JsonObject } from '../../../protocol/json/json.ts'
import type { ListedTool } from '../../mcp/connection.ts'
import { definitionOf, gateDefinition } from '../pins/definitions.ts'
import type { McpCallContext } from '../pins/pinned-definitions.ts'
import type { PinStatus } from '../pins/pins.ts'
import { gateName } from '../upstream/names.ts'

/** A call of a client, resolved. */
export interface ResolvedCall {
  readonly principal: string
  readonly server: string
  readonly listed: ListedTool
  readonly args: JsonObject
  readonly pin: PinStatus
}

/** The call as the gate judges it. MCP has no conversations and no ids that survive a retry: equal calls of a principal to a server are told apart by order. */
export function foreignCall({ principal, server, listed, args, pin }: ResolvedCall): ForeignCall {
  const context: McpCallContext = { mcp: { server, tool: listed.name, definition: pin.is } }
  return {
    threadId: server,
    toolName: gateName(server, listed.name),
    args,
    principal,
    definition: gateDefinition(definitionOf(listed)),
    context: context as unknown as JsonObject,
    ...(pin.is === 'pinned' ? {} : { preview: shownPin(pin) }),
  }
}

/** What makes two calls equal. */
export function identityOf({ threadId, toolName, args }: ForeignCall): string {
  return sha256(canonicalJson({ threadId, toolName, args }))
}

function shownPin(pin: Exclude<PinStatus, { is: 'pinned' }>): JsonObject {
  if (pin.is === 'new') return { definition: 'This tool was not there when the server was pinned.' }
  return { definition: 'changed since it was pinned', differences: pin.differences.map((one) => ({ ...one })) }
}
