import type { ErrorObject } from 'ajv'
import { messageOf } from '../protocol/errors/errors.ts'
import { type JsonObject, type JsonValue, jsonProblem } from '../protocol/json/json.ts'
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
/** Smaller values are checked a second time, to report every problem instead of the first. */
const SMALL_VALUE = 4_096
/** Limit for weight × value length². Below it, a check without references and with linear patterns needs no timeout. */
const CHEAP = 1e8

/** Recently compiled schemas, by their JSON. Timeouts are not kept: the next attempt may find an idle machine. */
const kept = new Map<string, CompiledSchema>()
const MAX_KEPT = 200

/** The schema of calls whose host says nothing of their tools. It is checked without Ajv, which takes longer to load than most hooks run. */
const ANY_OBJECT = '{"type":"object"}'
const anyObject: CompiledSchema = { ok: true, problems: (value) => (isObject(value) ? [] : ['must be object']) }

/** The time that is left for compiling several schemas, in milliseconds. */
export interface CompileBudget {
  leftMs: number
}

/** A schema was not compiled in time. */
class CompileTimeout extends Error {}

/**
 * Compiles a JSON Schema of draft 2020-12, or of draft 7 if its `$schema` says so. Assertions are enforced; unknown keywords and all formats are
 * annotations; nothing is ever fetched. Neither the schema nor a value can hang the process: both may come from outside. A `budget` is shared by
 * all schemas that are compiled with it.
 */
export function compileSchema(given: JsonObject, budget?: CompileBudget): CompiledSchema {
  const problem = jsonProblem(given)
  if (problem) return { ok: false, reason: shortened(`it is not plain JSON: ${problem}`) }
  const json = JSON.stringify(given)
  if (json === ANY_OBJECT) return anyObject
  const known = kept.get(json)
  if (known) return known
  const start = performance.now()
  try {
    return keep(json, compileNew(given, json, budget))
  } catch (error) {
    if (error instanceof CompileTimeout) return { ok: false, reason: error.message }
    const isEndless = error instanceof RangeError
    return keep(json, {
      ok: false,
      reason: isEndless ? 'its references cannot be followed' : shortened(messageOf(error)),
    })
  } finally {
    if (budget) budget.leftMs -= performance.now() - start
  }
}

function isObject(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function keep(json: string, compiled: CompiledSchema): CompiledSchema {
  if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value as string)
  kept.set(json, compiled)
  return compiled
}

/** Throws what is wrong with the schema, or `CompileTimeout`. */
function compileNew(given: JsonObject, json: string, budget: CompileBudget | undefined): CompiledSchema {
  const start = performance.now()
  const members = joinedSchemas(given) ?? [given]
  const checks = members.map((schema) => {
    const leftMs = budget ? budget.leftMs - (performance.now() - start) : COMPILE_MS
    if (leftMs <= 0) throw new CompileTimeout('the schemas compiled before it used up the time for all of them')
    const source = readSchema(schema, members.length === 1 ? json : JSON.stringify(schema))
    const [first, all] = [new Check(source, false), new Check(source, true)]
    first.compile(Math.ceil(Math.min(COMPILE_MS, leftMs)))
    return { first, all }
  })
  return { ok: true, problems: (value) => checks.flatMap(({ first, all }) => problemsOf(value, first, all)) }
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

/** One way of checking, with a timeout. */
class Check {
  readonly #source: Source
  readonly #allErrors: boolean
  #validator: Validator | undefined

  constructor(source: Source, allErrors: boolean) {
    this.#source = source
    this.#allErrors = allErrors
  }

  /** Throws `CompileTimeout`, or what is wrong with the schema. */
  compile(ms = COMPILE_MS): Validator {
    const { draft, schema } = this.#source
    const made = withinTime(ms, () => makeValidator(draft, schema, { allErrors: this.#allErrors }))
    if (!made.ok) throw new CompileTimeout(`it takes more than ${ms} ms`)
    this.#validator = made.value
    return made.value
  }

  run(value: JsonValue, length: number): ErrorObject[] | 'late' {
    const validator = this.#validator ?? this.#compileAgain()
    if (!validator) return 'late'
    if (this.#isQuick(validator, length)) return validator.run(value)
    const checked = withinTime(CHECK_MS, () => validator.run(value))
    if (checked.ok) return checked.value
    // A validator that was stopped halfway may be inconsistent.
    this.#validator = undefined
    return 'late'
  }

  #compileAgain(): Validator | undefined {
    try {
      return this.compile()
    } catch (error) {
      if (error instanceof CompileTimeout) return undefined
      throw error
    }
  }

  #isQuick({ linear, patternSize }: Validator, valueLength: number): boolean {
    const { hasRefs, length } = this.#source
    return linear && !hasRefs && (length + patternSize) * Math.max(valueLength, 10) ** 2 < CHEAP
  }
}
