import { gateDecisions } from '../../core/plan/accepted-decisions.ts'
import { reviewProblem } from '../../policy/review-options.ts'
import { isRecord, keyProblem, tellReturned } from '../../protocol/checks/returned.ts'
import type { DecisionType } from '../../protocol/decision.ts'
import { type HoldpointError, messageOf, PolicyFailed } from '../../protocol/errors/errors.ts'
import { cloneJson, type JsonObject, type JsonValue, jsonProblem } from '../../protocol/json/json.ts'
import { type AssistantMessage, cloneMessages, message, type ToolResult, toolResult } from '../../protocol/message.ts'
import type { AgentDefinition } from './definition.ts'
import type { BeforeToolHook, Gate, Middleware, ModelHook, ModelView, ToolHook } from './middleware.ts'
import { modelMessages } from './model-messages.ts'

/** Returns the messages and instructions for the model, after every `beforeModel` hook. */
export async function viewForModel(agent: AgentDefinition, hook: ModelHook): Promise<ModelView> {
  let view: ModelView = { messages: hook.messages }
  for (const one of agent.middleware) {
    const { beforeModel } = one
    if (!beforeModel) continue
    const seen = { ...hook, messages: cloneMessages(view.messages ?? hook.messages) }
    const said: unknown = await run(one, 'beforeModel', () => beforeModel(seen))
    if (said === undefined) continue
    const problem = viewProblem(said)
    if (problem) throw returned(one, 'beforeModel', { problem })
    view = { ...view, ...(said as ModelView) }
  }
  return view
}

function viewProblem(said: unknown): string | undefined {
  if (!isRecord(said)) return `${tellReturned(said)}; it must be { messages?, instructions? } or undefined`
  const unknown = keyProblem(said, ['messages', 'instructions'])
  if (unknown) return `an object with an unknown key: ${unknown}`
  if (said.instructions !== undefined && typeof said.instructions !== 'string')
    return 'instructions that are not a string'
  if (said.messages === undefined) return undefined
  const odd = jsonProblem(said.messages, 'messages')
  return odd || !message().array().safeParse(said.messages).success
    ? `invalid messages${odd ? `: ${odd}` : ''}`
    : undefined
}

/** Returns the gate that an answer has to pass, if an `afterModel` hook sets one. The last middleware runs first. */
export async function gateFor(
  agent: AgentDefinition,
  hook: ModelHook,
  message: AssistantMessage,
): Promise<Gate | undefined> {
  for (const one of agent.middleware.toReversed()) {
    const { afterModel } = one
    if (!afterModel) continue
    const seen = {
      ...hook,
      messages: cloneMessages(hook.messages),
      message: cloneJson(message as JsonObject) as AssistantMessage,
    }
    const said: unknown = await run(one, 'afterModel', () => afterModel(seen))
    if (said === undefined) continue
    const problem = holdProblem(said)
    if (problem) throw returned(one, 'afterModel', { problem })
    if (message.toolCalls?.length)
      throw returned(one, 'afterModel', {
        problem: 'a hold for an answer with calls; calls are held by policies',
      })
    return (said as { hold: Gate }).hold
  }
  return undefined
}

const GATE = ['description', 'details', 'allowedDecisions', 'risk', 'timeoutSeconds']

function holdProblem(said: unknown): string | undefined {
  const { hold, ...rest } = isRecord(said) ? said : {}
  if (!isRecord(hold) || Object.keys(rest).length > 0 || typeof hold.description !== 'string')
    return `${tellReturned(said)}; it must be { hold: { description, … } } or undefined`
  const unknown = keyProblem(hold, GATE)
  if (unknown) return `a hold with an unknown key: ${unknown}`
  const { details, ...review } = hold
  if (details !== undefined && (!isRecord(details) || jsonProblem(details)))
    return 'a hold whose details are not a JSON object'
  const problem = reviewProblem(review)
  if (problem) return `a hold that ${problem}`
  const refused = (review.allowedDecisions as DecisionType[] | undefined)?.find((type) => !gateDecisions.includes(type))
  return refused && `a hold that allows ${refused}, but a final answer accepts only ${gateDecisions.join(', ')}`
}

/** Why a hook refused a call. `error` is set if the hook returned something invalid. */
export interface HookRefusal {
  text: string
  error?: HoldpointError
}

/** Runs the `beforeTool` hooks. Returns the first refusal; an invalid return value refuses too. */
export async function refusalBefore(agent: AgentDefinition, hook: BeforeToolHook): Promise<HookRefusal | undefined> {
  for (const one of agent.middleware) {
    const said: unknown = await one.beforeTool?.({ ...hook, args: cloneJson(hook.args) })
    if (said === undefined) continue
    const { refuse, ...rest } = isRecord(said) ? said : {}
    if (typeof refuse === 'string' && Object.keys(rest).length === 0)
      return { text: refuse.trim() === '' ? modelMessages.rejectedInCode(hook.toolName) : refuse }
    const hint = isRecord(said) && 'hold' in said ? ' To ask a person, await hook.hold(…) inside the hook' : ''
    const problem = `${tellReturned(said)}; it must be { refuse: string } or undefined.${hint}`
    return {
      text: modelMessages.notChecked(hook.toolName),
      error: returned(one, 'beforeTool', { problem, toolName: hook.toolName, harm: 'The call did not run' }),
    }
  }
  return undefined
}

/**
 * Returns the result that the model reads, after every `afterTool` hook, the last middleware first. The tool has already run, so an invalid
 * return value withholds the result and comes with an `error`.
 */
export async function resultAfter(
  agent: AgentDefinition,
  hook: ToolHook,
  result: ToolResult,
): Promise<{ result: ToolResult; error?: HoldpointError }> {
  let shown = result
  for (const one of agent.middleware.toReversed()) {
    const seen = {
      ...hook,
      args: cloneJson(hook.args),
      result: cloneJson(shown as unknown as JsonValue) as unknown as ToolResult,
    }
    const said: unknown = await one.afterTool?.(seen)
    if (said === undefined) continue
    const problem = resultProblem(said)
    if (!problem) shown = cloneJson(said as JsonValue) as unknown as ToolResult
    else {
      const told = {
        problem,
        toolName: hook.toolName,
        harm: 'The tool ran, and the model does not read what it returned',
      }
      const error = returned(one, 'afterTool', told)
      return { result: { content: modelMessages.unchecked(hook.toolName), isError: true }, error }
    }
  }
  return { result: shown }
}

const RESULT = ['content', 'data', 'isError']

function resultProblem(said: unknown): string | undefined {
  if (!isRecord(said)) return `${tellReturned(said)}; it must be a result { content, data?, isError? } or undefined`
  const problem = keyProblem(said, RESULT) ?? jsonProblem(said, 'result')
  if (problem) return `a result that cannot be stored: ${problem}`
  return toolResult().safeParse(said).success
    ? undefined
    : `${tellReturned(said)}, which is not a result { content, data?, isError? }`
}

function returned(
  { name }: Middleware,
  hook: string,
  { problem, toolName = '', harm }: { problem: string; toolName?: string; harm?: string },
): PolicyFailed {
  return new PolicyFailed(toolName, `${hook} of middleware "${name}" returned ${problem.replace(/\.$/, '')}`, { harm })
}

async function run<T>({ name }: Middleware, hook: string, call: () => T | Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw new PolicyFailed('', `${hook} of middleware "${name}" threw: ${messageOf(error)}`, { cause: error })
  }
}
