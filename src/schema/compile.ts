import type { ErrorObject } from 'ajv'
import { messageOf } from '../protocol/errors.ts'
import { type JsonObject, type JsonValue, jsonProblem } from '../protocol/json.ts'
import { type Draft, draftOf, toEnforceable } from './dialect.ts'
import { joinedSchemas } from './join.ts'
import { shortened, toProblems } from './problems.ts'
import { makeValidator, schemaFaults, type Validator } from './validator.ts'
import { withinTime } from './within-time.ts'

/** A JSON Schema that values are checked by, or why it cannot be: then nothing fits it. */
export type CompiledSchema =
  | { readonly ok: true; problems(value: JsonValue): string[] }
  | { readonly ok: false; readonly reason: string }

const MAX_SCHEMA_CHARACTERS = 262_144
const COMPILE_MS = 2_000
const CHECK_MS = 500
/** Smaller values are checked once more, for all that is wrong with them. */
const SMALL_VALUE = 4_096
/** Schema × value², in characters. Below it, a check without references and in linear time is quick whatever the schema says. */
const CHEAP = 1e8

/** Schemas that were compiled lately, by their text: doors read the same ones again and again. */
const kept = new Map<string, CompiledSchema>()
const MAX_KEPT = 200

/**
 * Compiles a JSON Schema of draft 2020-12, or of draft 7 if its `$schema` says so. Assertions are enforced; unknown keywords and all formats are
 * annotations; nothing is ever fetched. Neither the schema nor a value can hang the process: both may come from outside.
 */
export function compileSchema(given: JsonObject): CompiledSchema {
  const problem = jsonProblem(given)
  if (problem) return { ok: false, reason: shortened(`it is not plain JSON: ${problem}`) }
  const text = JSON.stringify(given)
  const known = kept.get(text)
  if (known) return known
  const members = joinedSchemas(given)
  const compiled = members ? compileAll(members) : compileOne(given, text)
  if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value as string)
  kept.set(text, compiled)
  return compiled
}

function compileAll(schemas: readonly JsonObject[]): CompiledSchema {
  const checks: Extract<CompiledSchema, { ok: true }>[] = []
  for (const schema of schemas) {
    const compiled = compileSchema(schema)
    if (!compiled.ok) return compiled
    checks.push(compiled)
  }
  return { ok: true, problems: (value) => checks.flatMap((check) => check.problems(value)) }
}

function compileOne(given: JsonObject, text: string): CompiledSchema {
  try {
    const source = readSchema(given, text)
    const [first, all] = [new Check(source, false), new Check(source, true)]
    first.compile()
    return { ok: true, problems: (value) => problemsOf(value, first, all) }
  } catch (error) {
    const isEndless = error instanceof RangeError
    return { ok: false, reason: isEndless ? 'its references cannot be followed' : shortened(messageOf(error)) }
  }
}

function problemsOf(value: JsonValue, first: Check, all: Check): string[] {
  try {
    const { length } = JSON.stringify(value)
    const found = first.run(value, length)
    if (found === 'late') return [`it cannot be checked within ${CHECK_MS} ms`]
    const more = found.length === 0 || length > SMALL_VALUE ? found : all.run(value, length)
    return toProblems(more === 'late' ? found : more)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return ['it is nested too deeply to be checked']
  }
}

/** What is wrong with a value by a schema. If the schema cannot be compiled: that. */
export function schemaProblems(schema: JsonObject, value: JsonValue): string[] {
  const compiled = compileSchema(schema)
  return compiled.ok ? compiled.problems(value) : [`its JSON Schema cannot be compiled: ${compiled.reason}`]
}

interface Source {
  draft: Draft
  schema: JsonObject
  length: number
  hasRefs: boolean
}

function readSchema(given: JsonObject, { length }: string): Source {
  if (length > MAX_SCHEMA_CHARACTERS) throw new Error(`it has more than ${MAX_SCHEMA_CHARACTERS} characters`)
  const draft = draftOf(given.$schema)
  const [fault] = schemaFaults(draft, given)
  if (fault !== undefined) throw new Error(`it is no schema of ${NAMES[draft]}: ${fault}`)
  const schema = toEnforceable(draft, given)
  return { draft, schema, length, hasRefs: JSON.stringify(schema).includes('"$ref"') }
}

const NAMES = { draft7: 'draft 7', draft2020: 'draft 2020-12 (draft 7 must be named by $schema)' }

/** One way of checking, with a limit for its time. */
class Check {
  readonly #source: Source
  readonly #allErrors: boolean
  #validator: Validator | undefined

  constructor(source: Source, allErrors: boolean) {
    this.#source = source
    this.#allErrors = allErrors
  }

  compile(): Validator {
    const { draft, schema } = this.#source
    const made = withinTime(COMPILE_MS, () => makeValidator(draft, schema, { allErrors: this.#allErrors }))
    if (!made.ok) throw new Error(`it takes more than ${COMPILE_MS} ms`)
    this.#validator = made.value
    return made.value
  }

  run(value: JsonValue, length: number): ErrorObject[] | 'late' {
    const validator = this.#validator ?? this.compile()
    if (this.#isQuick(validator, length)) return validator.run(value)
    const checked = withinTime(CHECK_MS, () => validator.run(value))
    if (checked.ok) return checked.value
    // What was stopped in the middle must not be used again.
    this.#validator = undefined
    return 'late'
  }

  #isQuick({ linear }: Validator, valueLength: number): boolean {
    const { hasRefs, length } = this.#source
    return linear && !hasRefs && length * valueLength ** 2 < CHEAP
  }
}
