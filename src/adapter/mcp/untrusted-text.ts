import { HIDDEN } from '../../core/display/hidden.ts'
import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'

const HIDDEN_IN_LINES = new RegExp(`(?![\\n\\t])(?:${HIDDEN.source})`, 'gu')

/** A server's text with hidden characters replaced by their code points, for people and models. It is part of the tool's definition. */
export function revealed(text: string): string {
  return text.replace(
    HIDDEN_IN_LINES,
    (character) => `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`,
  )
}

const TEXTS = new Set(['title', 'description', '$comment'])
/** Keywords whose content is a value, not a schema. */
const VALUES = new Set(['const', 'enum', 'default', 'examples'])

/** A server's JSON Schema with hidden characters in titles and descriptions revealed. */
export function revealedSchema(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (VALUES.has(key)) return [key, value]
      return [key, TEXTS.has(key) && typeof value === 'string' ? revealed(value) : revealedValue(value)]
    }),
  )
}

function revealedValue(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(revealedValue)
  return isObject(value) ? revealedSchema(value) : value
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
