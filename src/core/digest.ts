import type { CallKey } from '../protocol/ids.ts'
import { canonicalJson, sha256 } from '../protocol/json/canonical.ts'
import type { JsonObject, JsonValue } from '../protocol/json/json.ts'

/** What makes a tool the tool that was approved. */
export interface ToolDefinition {
  name: string
  description: string
  /** JSON Schema of its arguments. */
  parameters: JsonObject
  /** What else it says of itself, e.g. the annotations of an MCP tool. Not told to the model. */
  annotations?: JsonObject
}

/** A tool's fingerprint: another name, description, schema or annotation is another tool. */
export function fingerprint({ name, description, parameters, annotations }: ToolDefinition): string {
  return sha256(canonicalJson({ v: 1, name, description, parameters, ...(annotations ? { annotations } : {}) }))
}

/** What a yes is bound to. */
export interface ExactCall {
  tool: string
  definition: string
  args: JsonObject
  preview?: JsonValue
  previewCompare?: JsonValue
  preconditions?: JsonValue
}

/** The digest of one exact call. */
export function callDigest({ args, definition, preconditions, preview, previewCompare, tool }: ExactCall): string {
  // In the order of the canonical form, so that nothing has to be sorted.
  const exact: JsonObject =
    previewCompare === undefined ? { args, definition } : { args, compare: previewCompare, definition }
  if (preconditions !== undefined) exact.preconditions = preconditions
  if (preview !== undefined) exact.preview = preview
  exact.tool = tool
  exact.v = 1
  return sha256(canonicalJson(exact))
}

/** The key that a tool can hand on so that a second run of the same released call has no second effect. */
export function idempotencyKey(tenant: string, call: CallKey, digest: string): string {
  return sha256(canonicalJson([tenant, call, digest]))
}
