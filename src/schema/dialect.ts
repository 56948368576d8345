import type { JsonObject, JsonValue } from '../protocol/json/json.ts'

/** The supported drafts. */
export type Draft = 'draft7' | 'draft2020'

const DRAFT_7 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/
const DRAFT_2020 = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/

/** The draft that a `$schema` names; 2020-12 if there is none. Throws for all others. */
export function draftOf(named: JsonValue | undefined): Draft {
  if (named === undefined) return 'draft2020'
  if (typeof named === 'string' && DRAFT_7.test(named)) return 'draft7'
  if (typeof named === 'string' && DRAFT_2020.test(named)) return 'draft2020'
  throw new Error(`its $schema is ${JSON.stringify(named)}; draft 7 and draft 2020-12 can be checked`)
}

/** Keywords whose members are names chosen by the author, not keywords. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'])

/** Keywords whose values are data, not schemas. */
const VALUES = new Set(['const', 'enum', 'default', 'examples', 'dependentRequired'])

/** Keywords of Ajv that no draft has: `nullable` would let `null` pass, `$async` anything. */
const NOT_KEYWORDS = new Set(['nullable', '$async', 'id'])

/** With one of these anywhere in the schema, Ajv may lose track of what was evaluated. */
const UNTRACKED = {
  unevaluatedItems: ['allOf', 'anyOf', 'oneOf', 'not', 'if', '$ref', 'contains', 'dependentSchemas'],
  unevaluatedProperties: ['if'],
}

/** Rewrites a schema so that Ajv enforces exactly what the draft says. Throws for what Ajv cannot enforce. */
export function toEnforceable(draft: Draft, schema: JsonObject): JsonObject {
  const seen = new Set<string>()
  const enforceable = visitSchema({ draft, seen }, schema)
  if (draft === 'draft7') return enforceable
  if (seen.has('$dynamicRef')) throw new Error('$dynamicRef cannot be enforced')
  for (const [keyword, others] of Object.entries(UNTRACKED)) {
    const other = others.find((one) => seen.has(one))
    if (seen.has(keyword) && other) throw new Error(`${keyword} together with ${other} cannot be enforced`)
  }
  return enforceable
}

interface Visit {
  draft: Draft
  /** The keywords that were met. */
  seen: Set<string>
}

function visitSchema(visit: Visit, schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).filter(([key]) => !NOT_KEYWORDS.has(key) && !isIgnored(visit, schema, key))
  return Object.fromEntries(
    entries.map(([key, value]): [string, JsonValue] => {
      visit.seen.add(key)
      if (key === '$schema' && draftOf(value) !== visit.draft) throw new Error('it mixes drafts')
      if (VALUES.has(key)) return [key, value]
      if (!NAMED.has(key) || !isObject(value)) return [key, visitValue(visit, value)]
      if (Object.hasOwn(value, '__proto__')) throw new Error(`${key} has a member called __proto__`)
      return [key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, visitValue(visit, one)]))]
    }),
  )
}

/** In draft 7, an `$id` beside a `$ref` is ignored. */
function isIgnored({ draft }: Visit, schema: JsonObject, key: string): boolean {
  return draft === 'draft7' && key === '$id' && typeof schema.$ref === 'string'
}

function visitValue(visit: Visit, value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((one) => visitValue(visit, one))
  return isObject(value) ? visitSchema(visit, value) : value
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
