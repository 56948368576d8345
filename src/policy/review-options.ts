import { reviewerProblem } from '../core/access.ts'
import { keyProblem } from '../protocol/checks/returned.ts'
import { decisionTypes } from '../protocol/decision.ts'
import type { JsonObject } from '../protocol/json/json.ts'
import { onTimeouts, risks } from '../protocol/request.ts'
import { compileSchema } from '../schema/compile.ts'
import type { ReviewOptions } from './policy.ts'

/** The fields of a review. */
export const reviewKeys = [
  'allowedDecisions',
  'description',
  'argsSchema',
  'timeoutSeconds',
  'onTimeout',
  'decisionValidSeconds',
  'reviewers',
  'via',
  'risk',
] as const satisfies readonly (keyof ReviewOptions)[]

/** Describes what is wrong with review options, if anything. Every review is checked, whatever its source, because it is stored and shown. */
export function reviewProblem(review: { [Key in keyof ReviewOptions]?: unknown }): string | undefined {
  const unknown = keyProblem(review, reviewKeys)
  if (unknown) return `has an unknown key: ${unknown}`
  const { allowedDecisions, description, argsSchema, timeoutSeconds, onTimeout, reviewers, risk, via } = review
  const { decisionValidSeconds: valid } = review
  if (allowedDecisions !== undefined) {
    if (!Array.isArray(allowedDecisions) || allowedDecisions.length === 0) {
      return 'has an empty allowedDecisions, so nobody could answer'
    }
    const wrong: unknown = allowedDecisions.find((type) => !(decisionTypes as readonly unknown[]).includes(type))
    if (wrong !== undefined)
      return `allows "${String(wrong)}", which is not a decision; use ${decisionTypes.join(', ')}`
  }
  if (description !== undefined && typeof description !== 'string') return 'has a description that is not a string'
  const schemaProblem = argsSchema === undefined ? undefined : argsSchemaProblem(argsSchema)
  if (schemaProblem) return schemaProblem
  if (timeoutSeconds !== undefined && !(typeof timeoutSeconds === 'number' && timeoutSeconds > 0)) {
    return 'has a timeoutSeconds that is not a positive number'
  }
  if (valid !== undefined && !(Number.isFinite(valid) && (valid as number) > 0)) {
    return 'has a decisionValidSeconds that is not a positive number'
  }
  if (onTimeout !== undefined && !(onTimeouts as readonly unknown[]).includes(onTimeout)) {
    return `has an unknown onTimeout; there are ${onTimeouts.join(', ')}`
  }
  if (risk !== undefined && !(risks as readonly unknown[]).includes(risk))
    return `has an unknown risk; there are ${risks.join(', ')}`
  if (via !== undefined && !isDoors(via)) return 'has a via that is not an array of doors'
  return reviewers === undefined ? undefined : reviewersProblem(reviewers)
}

function isDoors(via: unknown): boolean {
  return Array.isArray(via) && via.length > 0 && via.every((door) => typeof door === 'string' && door !== '')
}

function reviewersProblem(reviewers: unknown): string | undefined {
  if (!Array.isArray(reviewers) || reviewers.length === 0) return 'has reviewers that are not an array of names'
  const [problem] = reviewers.flatMap((name: unknown) => {
    const wrong = reviewerProblem(name)
    return wrong === undefined ? [] : [`has the reviewer ${JSON.stringify(name)}, which ${wrong}`]
  })
  return problem
}

/** A schema that cannot be compiled is refused: edits could never be checked against it. */
function argsSchemaProblem(argsSchema: unknown): string | undefined {
  if (typeof argsSchema !== 'object' || argsSchema === null || Array.isArray(argsSchema))
    return 'has an argsSchema that is not a JSON Schema object'
  const compiled = compileSchema(argsSchema as JsonObject)
  return compiled.ok ? undefined : `has an argsSchema that cannot be compiled: ${compiled.reason}`
}
