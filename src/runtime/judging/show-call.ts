import { type Shown, toShown } from '../../core/shown.ts'
import { isRecord } from '../../protocol/checks/returned.ts'
import type { JsonObject } from '../../protocol/json/json.ts'
import type { Tool } from '../definition/definition.ts'
import { resolveDisplay } from '../definition/tool/tool-display.ts'

/** How a request about a call shows it, whatever opens the request. The names of the tool's parameters give the order of what it says nothing about. */
export function showCall(tool: Tool, args: JsonObject, digest: string): Shown {
  const { properties } = tool.definition.parameters
  const order = isRecord(properties) ? Object.keys(properties) : []
  return toShown(resolveDisplay(tool.display, { toolName: tool.name, args, order }), digest)
}
