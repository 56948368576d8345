import { canonicalJson, sha256 } from '../../../protocol/json/canonical.ts'
import type { JsonObject, JsonValue } from '../../../protocol/json/json.ts'
import { compileSchema } from '../../../schema/compile.ts'
import type { ListedTool } from '../../mcp/connection.ts'
import { revealed, revealedSchema } from '../../mcp/untrusted-text.ts'

/** The parts of a tool's definition that are pinned. `_meta` is not: servers put changing data there. */
const PINNED = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations', 'icons', 'execution'] as const

/** One part of a definition that changed. */
export interface Difference {
  readonly field: string
  readonly was: JsonValue
  readonly now: JsonValue
}

/** The pinned parts of a listed tool, as plain JSON. */
export function definitionOf(listed: ListedTool): JsonObject {
  const all = JSON.parse(JSON.stringify(listed)) as JsonObject
  return Object.fromEntries(PINNED.flatMap((key) => (all[key] === undefined ? [] : [[key, all[key]]])))
}

/** A hash of a definition. */
export function fingerprintOf(definition: JsonObject): string {
  return sha256(canonicalJson(definition))
}

/** What changed, for people: hidden characters are shown by their code points. */
export function differencesOf(was: JsonObject, now: JsonObject): Difference[] {
  return PINNED.filter((key) => fingerprintOf({ v: was[key] ?? null }) !== fingerprintOf({ v: now[key] ?? null })).map(
    (field) => ({ field, was: shown(was[field]), now: shown(now[field]) }),
  )
}

/** The definition as the gate pins it to a call: people edit by its schema. */
export function gateDefinition(definition: JsonObject): {
  description: string
  parameters: JsonObject
  annotations?: JsonObject
} {
  const { description, inputSchema, ...rest } = definition
  const schema = inputSchema as JsonObject
  // A schema that cannot be compiled cannot be enforced here. The server checks its arguments itself.
  const isUsable = compileSchema(schema).ok
  const annotations = { ...rest, ...(isUsable ? {} : { inputSchema: schema }) }
  return {
    description: revealed(typeof description === 'string' ? description : ''),
    parameters: isUsable ? revealedSchema(schema) : { type: 'object' },
    ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
  }
}

function shown(value: JsonValue | undefined): JsonValue {
  if (typeof value === 'string') return revealed(value)
  if (Array.isArray(value)) return value.map(shown)
  if (typeof value !== 'object' || value === null) return value ?? null
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [revealed(key), shown(inner)]))
}
