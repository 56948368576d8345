import { messageOf, PolicyFailed } from '../protocol/errors.ts'
import { cloneJson, type JsonObject, type JsonValue } from '../protocol/json.ts'
import { type AssistantMessage, cloneMessages, type ToolResult } from '../protocol/message.ts'
import type { Agent } from './agent.ts'
import type { BeforeToolHook, Gate, Middleware, ModelHook, ModelView, ToolHook } from './middleware.ts'

/** What the model is shown, after every `beforeModel` has had its say. */
export async function viewForModel(agent: Agent, hook: ModelHook): Promise<ModelView> {
  let view: ModelView = { messages: hook.messages }
  for (const one of agent.middleware) {
    const { beforeModel } = one
    if (!beforeModel) continue
    const seen = { ...hook, messages: cloneMessages(view.messages ?? hook.messages) }
    view = { ...view, ...(await run(one, 'beforeModel', () => beforeModel(seen))) }
  }
  return view
}

/** The gate that an answer has to pass, if some `afterModel` puts one there. The last middleware is asked first. */
export async function gateFor(agent: Agent, hook: ModelHook, message: AssistantMessage): Promise<Gate | undefined> {
  for (const one of agent.middleware.toReversed()) {
    const { afterModel } = one
    if (!afterModel) continue
    const seen = {
      ...hook,
      messages: cloneMessages(hook.messages),
      message: cloneJson(message as JsonObject) as AssistantMessage,
    }
    const said = await run(one, 'afterModel', () => afterModel(seen))
    if (!said) continue
    if (typeof said.hold?.description !== 'string')
      throw new PolicyFailed('', `afterModel of middleware "${one.name}" returned no { hold: { description } }`)
    if (message.toolCalls?.length)
      throw new PolicyFailed(
        '',
        `afterModel of middleware "${one.name}" can hold an answer without calls only; calls are for policies`,
      )
    if ((said.hold.allowedDecisions as readonly unknown[] | undefined)?.includes('edit')) {
      throw new PolicyFailed(
        '',
        `afterModel of middleware "${one.name}" allows edit, but an answer can only be approved, rejected or replaced (respond)`,
      )
    }
    return said.hold
  }
  return undefined
}

/** Why a call is not run after all, if some `beforeTool` says so. */
export async function refusalBefore(agent: Agent, hook: BeforeToolHook): Promise<string | undefined> {
  for (const { beforeTool } of agent.middleware) {
    const said = await beforeTool?.({ ...hook, args: cloneJson(hook.args) })
    if (said) return said.refuse
  }
  return undefined
}

/** What the model reads of a result, after every `afterTool` has had its say, the last middleware first. */
export async function resultAfter(agent: Agent, hook: ToolHook, result: ToolResult): Promise<ToolResult> {
  let shown = result
  for (const { afterTool } of agent.middleware.toReversed()) {
    const seen = {
      ...hook,
      args: cloneJson(hook.args),
      result: cloneJson(shown as unknown as JsonValue) as unknown as ToolResult,
    }
    shown = (await afterTool?.(seen)) ?? shown
  }
  return shown
}

async function run<T>({ name }: Middleware, hook: string, call: () => T | Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw new PolicyFailed('', `${hook} of middleware "${name}" threw: ${messageOf(error)}`, error)
  }
}
