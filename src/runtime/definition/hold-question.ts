import { keyProblem } from '../../protocol/checks/returned.ts'
import { type DecisionType, decisionTypes } from '../../protocol/decision.ts'
import { InputInvalid } from '../../protocol/errors/errors.ts'
import type { JsonObject, JsonValue } from '../../protocol/json/json.ts'
import { type Risk, risks } from '../../protocol/request.ts'
import type { HoldRequest } from './tool/tool-context.ts'

/** The stored form of a `hold`. */
export interface HoldQuestion {
  kind: 'approve'
  description: string
  allowedDecisions: DecisionType[]
  args?: JsonObject
  details?: JsonObject
  risk?: Risk
}

/** Checks the request of a `hold`. `what` names the caller in errors; `plain` returns a copy of plain JSON, or throws. */
export function toHoldQuestion(
  request: HoldRequest,
  what: string,
  plain: (value: unknown, name: string) => JsonValue,
): HoldQuestion {
  const { description, args, details, risk, allowedDecisions = decisionTypes } = request ?? {}
  if (typeof description !== 'string') throw new InputInvalid(`${what} needs a description.`)
  // Ignoring an unknown key could ignore a restriction.
  const unknown = keyProblem(request, ['description', 'args', 'details', 'allowedDecisions', 'risk'])
  if (unknown) throw new InputInvalid(`${what} has an unknown key: ${unknown}.`)
  const isKnown = Array.isArray(allowedDecisions) && allowedDecisions.every((type) => decisionTypes.includes(type))
  if (!isKnown || allowedDecisions.length === 0) {
    throw new InputInvalid(`${what}: allowedDecisions must be a non-empty array of ${decisionTypes.join(', ')}.`)
  }
  if (risk !== undefined && !risks.includes(risk))
    throw new InputInvalid(`${what}: risk must be one of ${risks.join(', ')}.`)
  const asked: HoldQuestion = { kind: 'approve', description, allowedDecisions: [...allowedDecisions] }
  if (args !== undefined) asked.args = plain(args, 'args') as JsonObject
  if (details !== undefined) asked.details = plain(details, 'details') as JsonObject
  if (risk !== undefined) asked.risk = risk
  return asked
}
