import type { CallKey } from '../protocol/ids.ts'
import { canonicalJson, sha256 } from '../protocol/json/canonical.ts'
import type { JsonObject, JsonValue } from '../protocol/json/json.ts'

/** The parts of a tool's definition that an approval is bound to. */
export interface ToolDefinition {
  name: string
  description: string
  /** JSON Schema of its arguments. */
  parameters: JsonObject
  /** Other properties, e.g. the annotations of an MCP tool. The model does not see them. */
  annotations?: JsonObject
}

/** A tool's fingerprint. It changes with the name, description, schema or annotations. */
export function fingerprint({ name, description, parameters, annotations }: ToolDefinition): string {
  return sha256(canonicalJson({ v: 1, name, description, parameters, ...(annotations ? { annotations } : {}) }))
}

/** The facts of a call that an approval is bound to. */
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
  // The keys are in canonical order, so nothing has to be sorted.
  const exact: JsonObject =
    previewCompare === undefined ? { args, definition } : { args, compare: previewCompare, definition }
  if (preconditions !== undefined) exact.preconditions = preconditions
  if (preview !== undefined) exact.preview = preview
  exact.tool = tool
  exact.v = 1
  return sha256(canonicalJson(exact))
}

/** The key that a tool can pass on so that a retry of the same released call has no second effect. */
export function idempotencyKey(tenant: string, call: CallKey, digest: string): string {
  return sha256(canonicalJson([tenant, call, digest]))
}
