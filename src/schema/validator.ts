import type { ErrorObject, Options } from 'ajv'
import { lazy } from '../protocol/checks/lazy.ts'
import { canonicalJson } from '../protocol/json/canonical.ts'
import type { JsonObject, JsonValue } from '../protocol/json/json.ts'
import type { Draft } from './dialect.ts'
import { loadAjv } from './load.ts'
import { compilePattern } from './matcher.ts'
import { isMultiple } from './multiple-of.ts'
import { expandedSize } from './pattern-size.ts'
import { toProblems } from './problems.ts'

/** A compiled schema. */
export interface Validator {
  /** What is wrong with a value. */
  run(value: JsonValue): ErrorObject[]
  /** Whether all of its regular expressions match in linear time. */
  readonly linear: boolean
  /** The size of all its regular expressions, with repeats written out. */
  readonly patternSize: number
}

const OPTIONS = {
  strict: false,
  validateFormats: false,
  // Names such as "constructor" are properties only where they are given.
  ownProperties: true,
  logger: false,
} satisfies Options

/** Replacements: Ajv's `multipleOf` divides in binary, and its `uniqueItems` is quadratic. */
const ownKeywords: { keyword: string; [key: string]: unknown }[] = [
  {
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    validate: (of: number, value: number) => isMultiple(value, of),
    error: { message: ({ schema }: { schema: unknown }) => `must be multiple of ${schema}` },
  },
  {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (wanted: boolean, items: JsonValue[]) =>
      !wanted || new Set(items.map(canonicalJson)).size === items.length,
    error: { message: 'must NOT have duplicate items' },
  },
]

/** Compiles a schema in its own Ajv instance, so that schemas do not see each other's ids. Throws what is wrong with it. */
export function makeValidator(draft: Draft, schema: JsonObject, { allErrors }: { allErrors: boolean }): Validator {
  let linear = true
  let patternSize = 0
  const regExp = (pattern: string) => {
    const matcher = compilePattern(pattern)
    linear &&= matcher.linear
    patternSize += expandedSize(pattern)
    // Ajv caches expressions by this string: without it, all would share the first one.
    return { test: matcher.test, toString: () => JSON.stringify(pattern) }
  }
  regExp.code = 'regExp'
  const { [draft]: Ajv } = loadAjv()
  const ajv = new Ajv({
    ...OPTIONS,
    allErrors,
    validateSchema: false,
    code: { regExp: regExp as NonNullable<Options['code']>['regExp'] & object },
    // In draft 7, keywords beside a $ref are ignored.
    ignoreKeywordsWithRef: draft === 'draft7',
  } as Options)
  for (const keyword of ownKeywords) {
    ajv.removeKeyword(keyword.keyword)
    ajv.addKeyword(keyword)
  }
  const validate = ajv.compile(schema)
  return { run: (value) => (validate(value) ? [] : [...(validate.errors ?? [])]), linear, patternSize }
}

const metaSchemas = lazy(() => {
  const { draft7, draft2020 } = loadAjv()
  return { draft7: lazy(() => new draft7(OPTIONS)), draft2020: lazy(() => new draft2020(OPTIONS)) }
})

/** Problems of a schema by its draft's meta-schema, such as a misspelt type. */
export function schemaFaults(draft: Draft, schema: JsonObject): string[] {
  const ajv = metaSchemas()[draft]()
  return ajv.validateSchema(schema) ? [] : toProblems(ajv.errors ?? [])
}
