import { z } from 'zod'
import { lazy } from './checks/lazy.ts'
import { actor, type Decision } from './decision.ts'
import { DecisionInvalid } from './errors/errors.ts'
import { cloneJson, type JsonObject, type JsonValue, jsonProblem } from './json/json.ts'
import { jsonObject, jsonValue } from './message.ts'

/** The scope of a grant: this run, later runs of the thread (or later calls of a host's conversation) too, any thread of the agent, any agent of the tenant. */
export const grantScopes = ['run', 'thread', 'agent', 'tenant'] as const
/** The scope of a grant. */
export type GrantScope = (typeof grantScopes)[number]

const cap = lazy(() => z.strictObject({ field: z.string().min(1), max: z.number().positive() }))

/** A grant (a standing decision) as stored in the journal. */
export const grant = lazy(() =>
  z.object({
    id: z.string(),
    effect: z.enum(['allow', 'deny']),
    /** Absent: the scope is this run. */
    scope: z.enum(grantScopes).exactOptional(),
    run: z.string(),
    /** The agent that asked. The grant covers only this agent, unless its scope is the tenant. */
    agent: z.string(),
    tool: z.string(),
    /** The fingerprint of the tool's definition. A changed tool is not covered. */
    definition: z.string(),
    /** With scope `thread`: it covers the calls of this conversation, which have threads of their own. See `conversationKey`. */
    conversation: z.string().exactOptional(),
    /** Patterns that the arguments must match. */
    args: jsonObject().exactOptional(),
    uses: z.number().exactOptional(),
    cap: cap().exactOptional(),
    /** How long it counts. */
    ttlMs: z.number().exactOptional(),
    /** It starts to count when its decision can no longer be withdrawn. */
    delayMs: z.number().exactOptional(),
    /** The message that a denying grant gives the model. */
    message: z.string().exactOptional(),
    request: z.string(),
    by: actor(),
  }),
)
/** A grant (a standing decision) as stored in the journal. */
export type Grant = z.infer<ReturnType<typeof grant>>

/** A pattern for one argument: a value to equal, one of several values, or a string prefix. */
type ArgPattern = JsonValue | { oneOf: JsonValue[] } | { prefix: string }

/** The reach and limits of an `always`. */
export interface GrantOptions {
  /** Default `'run'`. */
  scope?: GrantScope
  /** Covers only calls whose arguments match. Arguments that are not named may have any value. */
  args?: { [name: string]: ArgPattern }
  /** The number of calls that it covers, not counting the one decided now. */
  uses?: number
  /**
   * Covers calls until the sum of a numeric argument would exceed `max`. A call without a usable value is not covered.
   */
  cap?: { field: string; max: number }
  /** How long it counts, by the store's clock. */
  expiresInSeconds?: number
}

/** A checked `always`. */
export type GrantTerms = Pick<Grant, 'scope' | 'args' | 'uses' | 'cap' | 'ttlMs'>

const HUNDRED_YEARS = 3_155_760_000

const options = lazy(() =>
  z.strictObject({
    scope: z.enum(grantScopes).exactOptional(),
    args: z.record(z.string(), jsonValue()).exactOptional(),
    uses: z.int().positive().exactOptional(),
    cap: cap().exactOptional(),
    expiresInSeconds: z.number().positive().max(HUNDRED_YEARS).exactOptional(),
  }),
)

/** Which decision types can become a grant, and which grants can have a cap. */
const STANDING: Readonly<Record<Decision['type'], { possible: boolean; capped: boolean }>> = {
  approve: { possible: true, capped: true },
  reject: { possible: true, capped: false },
  edit: { possible: false, capped: false },
  respond: { possible: false, capped: false },
}

/** Parses `always`. Returns `undefined` if the decision is not a standing one. Throws `DecisionInvalid`. */
export function parseAlways(always: unknown, { type }: Pick<Decision, 'type'>): GrantTerms | undefined {
  if (always === undefined || always === false) return undefined
  const standing = STANDING[type]
  if (!standing.possible) throw new DecisionInvalid(`always goes with approve or reject, not with ${type}.`)
  const parsed = options().safeParse(always === true ? {} : always)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const where = ['always', ...(issue?.path ?? [])].join('.')
    throw new DecisionInvalid(
      `${where}: ${issue?.message ?? 'it cannot be read'}. Use true, or { scope, args, uses, cap: { field, max }, expiresInSeconds }.`,
    )
  }
  const { expiresInSeconds, args: _args, ...terms } = parsed.data
  // Use `args` as given: a schema drops keys such as `__proto__`, and a pattern without them would cover more.
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

/** The pattern, if it is an object with only `oneOf` or `prefix`, not a plain value. */
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
