import { z } from 'zod'
import { requireKnown } from '../protocol/checks/known-options.ts'
import { InputInvalid } from '../protocol/errors/errors.ts'
import { canonicalJson, sha256 } from '../protocol/json/canonical.ts'
import { cloneJson, isWellFormed, type JsonObject, type JsonValue, jsonProblem } from '../protocol/json/json.ts'
import { message } from '../protocol/message.ts'
import type { ForeignCall } from './types.ts'

const KNOWN: readonly (keyof ForeignCall)[] = [
  'threadId',
  'callId',
  'useId',
  'toolName',
  'args',
  'definition',
  'principal',
  'context',
  'preview',
  'preconditions',
  'messages',
]

const name = z.string().min(1).max(1000).refine(isWellFormed, 'must be well-formed Unicode')

const shape = z.object({
  threadId: name,
  callId: name.optional(),
  useId: name.optional(),
  toolName: name,
  args: z.record(z.string(), z.unknown()),
  definition: z
    .object({
      name: z.string().optional(),
      description: z.string(),
      parameters: z.record(z.string(), z.unknown()),
      annotations: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
  principal: name.optional(),
  context: z.record(z.string(), z.unknown()).optional(),
  messages: z.array(message()).optional(),
})

/** Checks the calls of one message. Throws `InputInvalid`. */
export function checkCalls(calls: readonly ForeignCall[]): ForeignCall[] {
  if (!Array.isArray(calls)) throw new InputInvalid('judge() of a gate takes an array: all calls of one message.')
  return calls.map(checkCall)
}

/** Checks a call from outside and copies it. Throws `InputInvalid`. */
export function checkCall(call: ForeignCall): ForeignCall {
  requireKnown('a call of the gate', call ?? {}, KNOWN)
  const given = Object.fromEntries(Object.entries(call ?? {}).filter(([, value]) => value !== undefined))
  const problem = problemOf(given, shape)
  if (problem !== undefined) throw new InputInvalid(problem)
  return cloneJson(given as JsonObject) as unknown as ForeignCall
}

const chosen = shape.pick({ callId: true, toolName: true, args: true })

/**
 * Says why a gate cannot judge what a model calls: it has no name, or the arguments are no plain JSON, as with the number `-0`, half of a character or too
 * many levels. An adapter refuses such a call and tells the model, because an exception would end the conversation.
 */
export function callProblem({ callId, toolName, args }: ForeignCall): string | undefined {
  return problemOf({ toolName, args, ...(callId === undefined ? {} : { callId }) }, chosen)
}

function problemOf(given: object, expected: z.ZodType): string | undefined {
  const parsed = expected.safeParse(given)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return `${issue?.path.join('.') || 'the call'} of a call of the gate: ${issue?.message}.`
  }
  const problem = jsonProblem(given, 'call')
  return problem && `A call of the gate must be plain JSON: ${shortened(problem)}.`
}

/** The path to a value can be as long as the value. */
function shortened(problem: string): string {
  return problem.length > 200 ? `${problem.slice(0, 100)} … ${problem.slice(-99)}` : problem
}

/**
 * The identity of a call from outside, within its tenant. The arguments are part of it: a call with other arguments is another call, which nobody has
 * released. The tool's definition is not, so that a changed tool finds its call and is asked about again.
 */
export function externalKey(source: string, call: ForeignCall): string {
  const { principal = null, threadId, callId = null, toolName, args } = call
  const identity: JsonValue = { v: 1, source, principal, threadId, callId, toolName, args }
  return sha256(canonicalJson(identity))
}
