import { canonicalJson, sha256 } from '../protocol/canonical.ts'
import type { CallKey } from '../protocol/ids.ts'
import type { JsonObject, JsonValue } from '../protocol/json.ts'

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
  preconditions?: JsonValue
}

/** The digest of one exact call. */
export function callDigest(call: ExactCall): string {
  return sha256(canonicalJson({ v: 1, ...call }))
}

/** The key that a tool can hand on so that a second run of the same released call has no second effect. */
export function idempotencyKey(tenant: string, call: CallKey, digest: string): string {
  return sha256(canonicalJson([tenant, call, digest]))
}
