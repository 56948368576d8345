import type { ForeignCall, Gate } from '../../gate.ts'
import { type Actor, HoldpointError, type JsonObject } from '../../index.ts'
import { InputInvalid } from '../../ports.ts'
import { toolNameOf, type UiMessage, type UiToolPart } from '../ai-sdk-page/ui-message.ts'
import { type AbsorbedAnswer, absorb } from './absorb.ts'
import { type ApprovalStatus, approvalStatus } from './approval.ts'
import { gatedCall } from './gated-call.ts'
import { executed, type GatedTool, gatedTool } from './gated-tool.ts'
import { reconcile } from './reconcile.ts'
import { definitionOf, type SdkDefinition, type SdkModelMessage, type SdkTool } from './sdk-tool.ts'

/** Options of `aiSdkGate`. */
export interface AiSdkGateOptions<TTools extends object> {
  /** The conversation: the id of the chat. */
  threadId: string
  /** The user of the page, from a verified credential. Answers of the page are this person's decisions. Without it they are not accepted. */
  by?: Actor
  tools: TTools
  /** On whose behalf calls are made. Calls of different principals never meet. Default: the id of `by`. */
  principal?: string
  /** The application's data, which policies read. */
  context?: JsonObject
  /** Tools without `execute`: the provider or the page runs them, and no gate can hold them. They must be named here. */
  ungated?: readonly (keyof TTools & string)[]
}

/** What `toolApproval` of the AI SDK 7 is called with. */
interface ApprovalQuestion {
  toolCall: { toolCallId: string; toolName: string; input: unknown }
  messages?: readonly SdkModelMessage[]
}

/** A gate for one request to an AI SDK application. */
export interface AiSdkGate<TTools extends object> {
  /** The tools, each with the gate around its body. This alone enforces. */
  tools: TTools
  /** For the AI SDK 7. In version 6 the tools themselves say what needs approval. */
  toolApproval: (question: ApprovalQuestion) => Promise<ApprovalStatus>
  /** Takes the answers of the page's messages as decisions. `body`: `holdpoint` of the page's request, for edits and responses. */
  absorb(messages: readonly UiMessage[], body?: unknown): Promise<AbsorbedAnswer[]>
  /** The page's messages with every gated call in the state that the journal says. `toolOptions` is passed to tools that are run here. */
  reconcile<T extends UiMessage>(messages: readonly T[], toolOptions?: object): Promise<T[]>
}

/**
 * Puts a gate around the tools of an AI SDK application, version 6 or 7. `streamText`, `generateText` and agents keep their code. Make one for each
 * request: it keeps nothing, all is in the gate's store.
 */
export function aiSdkGate<TTools extends object>(gate: Gate, options: AiSdkGateOptions<TTools>): AiSdkGate<TTools> {
  checkOptions(options)
  const { threadId, by, context, principal = by?.id, ungated = [] } = options
  const tools = new Map<string, GatedTool>()
  const wrapped = Object.entries(options.tools as Record<string, SdkTool>).map(([name, tool]): [string, object] => {
    const isUngated = (ungated as readonly string[]).includes(name)
    checkTool(name, tool, isUngated)
    if (isUngated) return [name, tool]
    let definition: Promise<SdkDefinition> | undefined
    const callOf = async (input: unknown, toolCallId: string): Promise<ForeignCall> => {
      definition ??= definitionOf(tool)
      return gatedCall({ threadId, principal, context }, { toolCallId, toolName: name, input }, await definition)
    }
    const given = { gate, tool: tool as GatedTool['tool'], callOf }
    tools.set(name, given)
    return [name, gatedTool(given)]
  })
  const partCall = (part: UiToolPart): ForeignCall | undefined => {
    const toolName = toolNameOf(part)
    if (!tools.has(toolName)) return undefined
    const input = typeof part.input === 'object' && part.input !== null ? part.input : { input: part.input ?? null }
    return gatedCall({ threadId, principal, context }, { toolCallId: part.toolCallId, toolName, input })
  }
  return {
    tools: Object.fromEntries(wrapped) as TTools,
    toolApproval: async ({ toolCall, messages }) => {
      const { toolName, input, toolCallId } = toolCall
      const known = tools.get(toolName)
      if (known) return approvalStatus(gate, () => known.callOf(input, toolCallId), messages)
      if ((ungated as readonly string[]).includes(toolName)) return { type: 'not-applicable' }
      return { type: 'denied', reason: `Not run: ${toolName} is not a tool of this gate.` }
    },
    absorb: (messages, body) => absorb({ gate, by, callOf: partCall }, messages, body),
    reconcile: (messages, toolOptions = {}) => {
      const run = async (part: UiToolPart): Promise<void> => {
        const { toolCallId } = part
        const call = { input: part.input, options: { messages: [], ...toolOptions, toolCallId }, tell: () => undefined }
        await executed(tools.get(toolNameOf(part))!, call).catch((error: unknown) => {
          // What the tool threw is recorded, and read from there. The store's own failures are not.
          if (HoldpointError.isInstance(error) && error.retryable) throw error
        })
      }
      return reconcile({ gate, callOf: partCall, run }, messages)
    },
  }
}

function checkOptions<TTools extends object>(options: AiSdkGateOptions<TTools>): void {
  const { threadId, by, tools, principal, context, ungated = [], ...others } = options ?? {}
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new InputInvalid(`aiSdkGate() has no option "${unknown}".`)
  if (typeof threadId !== 'string' || threadId === '') throw new InputInvalid('aiSdkGate() needs a threadId.')
  if (typeof tools !== 'object' || tools === null) throw new InputInvalid('aiSdkGate() needs tools.')
  const missing = ungated.find((name) => !Object.hasOwn(tools, name))
  if (missing !== undefined) throw new InputInvalid(`aiSdkGate(): ungated names "${missing}", which is no tool.`)
  for (const [name, value] of Object.entries({ principal, by: by?.id })) {
    if (value !== undefined && typeof value !== 'string') throw new InputInvalid(`aiSdkGate(): ${name} is no string.`)
  }
  if (context !== undefined && typeof context !== 'object') throw new InputInvalid('aiSdkGate(): context is no object.')
}

function checkTool(name: string, tool: SdkTool, isUngated: boolean): void {
  if (isUngated) {
    if (typeof tool.execute !== 'function') return
    throw new InputInvalid(`aiSdkGate(): ${name} has a body, so it is gated. Let the policy allow it instead.`)
  }
  if (typeof tool?.execute !== 'function') {
    throw new InputInvalid(
      `aiSdkGate(): ${name} has no execute, so the provider or the page runs it, and the gate cannot hold it. Name it in ungated.`,
    )
  }
  if (tool.needsApproval !== undefined) {
    throw new InputInvalid(
      `aiSdkGate(): ${name} has needsApproval. The gate's policy decides that: name the tool there, and leave needsApproval out.`,
    )
  }
}
