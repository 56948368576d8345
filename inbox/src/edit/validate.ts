import { type Schema, Validator } from '@cfworker/json-schema'
import type { JsonObject } from '../../../src/protocol/json/json.ts'

/** What is wrong with arguments. `path` is empty if it concerns all of them. */
export interface Problem {
  path: string
  keyword: string
  message: string
}

/** Keywords that only say that something inside is wrong. */
const OUTER = new Set([
  'properties',
  'items',
  'prefixItems',
  'allOf',
  'anyOf',
  'oneOf',
  '$ref',
  'additionalProperties',
  'then',
  'else',
  'not',
])

/**
 * Checks arguments against the schemas of the tool and of the policy. A schema that cannot be read here is left to the server, which checks every
 * edit again before it runs.
 */
export function problemsOf(schemas: readonly (JsonObject | undefined)[], args: JsonObject): Problem[] {
  return schemas.flatMap((schema) => (schema ? check(schema, args) : []))
}

function check(schema: JsonObject, args: JsonObject): Problem[] {
  try {
    const { errors } = new Validator(schema as Schema, '2020-12', false).validate(args)
    const inner = errors.filter(({ keyword }) => !OUTER.has(keyword))
    return (inner.length > 0 ? inner : errors).map(({ keyword, instanceLocation, error }) => {
      const path = instanceLocation
        .replace(/^#\/?/, '')
        .split('/')
        .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
      const missing = keyword === 'required' ? /property "(.*)"\.?$/.exec(error)?.[1] : undefined
      return {
        path: [...path, ...(missing === undefined ? [] : [missing])].filter(Boolean).join('.'),
        keyword,
        message: error,
      }
    })
  } catch {
    return []
  }
}
