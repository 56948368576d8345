import { z } from 'zod'
import { actor, type Decision } from './decision.ts'
import { DecisionInvalid } from './errors/errors.ts'
import { cloneJson, type JsonObject, type JsonValue, jsonProblem } from './json/json.ts'
import { jsonObject, jsonValue } from './message.ts'

/** How far a standing decision reaches: this run, later runs of the thread too, any thread of the agent, any agent of the tenant. */
export const grantScopes = ['run', 'thread', 'agent', 'tenant'] as const
/** How far a standing decision reaches. */
export type GrantScope = (typeof grantScopes)[number]

const cap = z.strictObject({ field: z.string().min(1), max: z.number().positive() })

/** A standing decision, as the journal keeps it. */
export const grant = z.object({
  id: z.string(),
  effect: z.enum(['allow', 'deny']),
  /** Absent: this run. */
  scope: z.enum(grantScopes).exactOptional(),
  run: z.string(),
  /** Who asked: the only one that it covers, unless its scope is the tenant. */
  agent: z.string(),
  tool: z.string(),
  /** Another definition of the tool is not covered. */
  definition: z.string(),
  /** What the arguments must be. */
  args: jsonObject.exactOptional(),
  uses: z.number().exactOptional(),
  cap: cap.exactOptional(),
  /** How long it counts. */
  ttlMs: z.number().exactOptional(),
  /** It does not count before its decision can no longer be withdrawn. */
  delayMs: z.number().exactOptional(),
  /** What a denying grant says to the model. */
  message: z.string().exactOptional(),
  request: z.string(),
  by: actor,
})
/** A standing decision, as the journal keeps it. */
export type Grant = z.infer<typeof grant>

/** What an argument must be: equal to a value, one of several, or a text that begins like this. */
export type ArgPattern = JsonValue | { oneOf: JsonValue[] } | { prefix: string }

/** How far an `always` reaches. */
export interface GrantOptions {
  /** Default `'run'`. */
  scope?: GrantScope
  /** Only calls whose arguments are like this. Arguments that are not named may be anything. */
  args?: { [name: string]: ArgPattern }
  /** For so many calls. The one that is decided now does not count. */
  uses?: number
  /** Until the values of a numeric argument add up to more than this. A call without a usable value is not covered. */
  cap?: { field: string; max: number }
  /** For so long, by the clock of the store. */
  expiresInSeconds?: number
}

/** What `always` asks for, checked. */
export type GrantTerms = Pick<Grant, 'scope' | 'args' | 'uses' | 'cap' | 'ttlMs'>

const HUNDRED_YEARS = 3_155_760_000

const options = z.strictObject({
  scope: z.enum(grantScopes).exactOptional(),
  args: z.record(z.string(), jsonValue).exactOptional(),
  uses: z.int().positive().exactOptional(),
  cap: cap.exactOptional(),
  expiresInSeconds: z.number().positive().max(HUNDRED_YEARS).exactOptional(),
})

/** Which decisions can stand for later calls, and be limited by a cap. */
const STANDING: Readonly<Record<Decision['type'], { possible: boolean; capped: boolean }>> = {
  approve: { possible: true, capped: true },
  reject: { possible: true, capped: false },
  edit: { possible: false, capped: false },
  respond: { possible: false, capped: false },
}

/** Reads what `always` was set to. `undefined`: it is no standing decision. Throws `DecisionInvalid`. */
export function parseAlways(always: unknown, { type }: Pick<Decision, 'type'>): GrantTerms | undefined {
  if (always === undefined || always === false) return undefined
  const standing = STANDING[type]
  if (!standing.possible) throw new DecisionInvalid(`always goes with approve or reject, not with ${type}.`)
  const parsed = options.safeParse(always === true ? {} : always)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const where = ['always', ...(issue?.path ?? [])].join('.')
    throw new DecisionInvalid(
      `${where}: ${issue?.message ?? 'it cannot be read'}. Use true, or { scope, args, uses, cap: { field, max }, expiresInSeconds }.`,
    )
  }
  const { expiresInSeconds, args: _args, ...terms } = parsed.data
  // As it was given: a schema leaves out keys such as `__proto__`, and a pattern without them would cover more.
  const { args } = (always === true ? {} : always) as { args?: JsonObject }
  if (terms.cap && !standing.capped) {
    throw new DecisionInvalid('always.cap limits what is let through: it goes with approve, not with reject.')
  }
  const checked: GrantTerms = { ...terms }
  if (args && Object.keys(args).length > 0) checked.args = checkArgs(args)
  if (expiresInSeconds !== undefined) checked.ttlMs = Math.ceil(expiresInSeconds * 1000)
  return checked
}

function checkArgs(args: JsonObject): JsonObject {
  const problem = jsonProblem(args, 'always.args')
  if (problem) throw new DecisionInvalid(`always.args is not plain JSON: ${problem}.`)
  for (const [name, pattern] of Object.entries(args)) {
    const matcher = matcherOf(pattern)
    if (matcher?.kind === 'oneOf' && matcher.values.length === 0)
      throw new DecisionInvalid(`always.args.${name}.oneOf is empty: no call could ever fit.`)
  }
  return cloneJson(args)
}

/** A pattern that is more than a value: an object with `oneOf` or `prefix` alone. */
export function matcherOf(
  pattern: JsonValue,
): { kind: 'oneOf'; values: JsonValue[] } | { kind: 'prefix'; text: string } | undefined {
  if (typeof pattern !== 'object' || pattern === null || Array.isArray(pattern)) return undefined
  const [name, ...others] = Object.keys(pattern)
  if (others.length > 0) return undefined
  if (name === 'oneOf' && Array.isArray(pattern.oneOf)) return { kind: 'oneOf', values: pattern.oneOf }
  if (name === 'prefix' && typeof pattern.prefix === 'string') return { kind: 'prefix', text: pattern.prefix }
  return undefined
}
