import { type GivenContext, planContext } from '../../core/plan/context.ts'
import type { Usage } from '../../protocol/entries/entry.ts'
import { ContextInvalid, InputInvalid } from '../../protocol/errors/errors.ts'
import { cloneJson, type JsonValue, jsonProblem } from '../../protocol/json/json.ts'
import type { ContextInput, RunContext } from '../../protocol/run-context.ts'
import type { Journal } from '../journal/journal.ts'

const MEMBERS = ['context', 'toolInput', 'usage']
const COUNTS = ['requests', 'inputTokens', 'outputTokens', 'totalTokens'] as const

/**
 * Reads the context that a run is restored with. An object with `context`, and at most `toolInput` and `usage` besides, is a `RunContext`. Any other
 * value is the application's own data.
 */
export function toGivenContext(value: RunContext | ContextInput, strategy: unknown = 'merge'): GivenContext {
  if (strategy !== 'merge' && strategy !== 'replace') {
    throw new InputInvalid(`contextStrategy must be 'merge' or 'replace'.`)
  }
  const { context, toolInput, usage } = isRunContext(value) ? value : { context: value }
  return {
    strategy,
    ...(context === undefined ? {} : { context: checked(context, 'context') }),
    ...(toolInput === undefined ? {} : { toolInput: checked(toolInput, 'toolInput') }),
    ...(usage === undefined ? {} : { usage: checkUsage(usage) }),
  }
}

/** Records the replaced context in the journal of a restored run. Does nothing if the run is over. */
export async function replaceContext(journal: Journal, given: GivenContext): Promise<void> {
  await journal.write((state) => {
    if (state.run?.status !== 'open') return undefined
    const entries = planContext(state, state.run, { ...given, revokes: () => true })
    return entries.length > 0 ? { entries } : undefined
  })
}

function isRunContext(value: unknown): value is Partial<RunContext> {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'context')) return false
  return Object.keys(value).every((key) => MEMBERS.includes(key))
}

function checked(value: unknown, name: string): JsonValue {
  const problem = jsonProblem(value, name)
  if (problem) throw new ContextInvalid(problem)
  return cloneJson(value as JsonValue)
}

function checkUsage(usage: Usage): Usage {
  const { requests, inputTokens, outputTokens, totalTokens } = usage
  if (!COUNTS.every((count) => Number.isFinite(usage[count]))) {
    throw new InputInvalid(`usage must have a number for each of ${COUNTS.join(', ')}.`)
  }
  return { requests, inputTokens, outputTokens, totalTokens }
}
