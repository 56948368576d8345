import { callDigest, type ToolDefinition } from '../../core/digest.ts'
import type { JudgedCall } from '../../core/plan/answer.ts'
import { errorResult } from '../../core/plan/results.ts'
import { type BoundPolicy, type Composed, composeVerdicts } from '../../policy/compose.ts'
import type { PolicyVerdict } from '../../policy/policy.ts'
import { after, type Clock } from '../../ports/clock.ts'
import { isApprovalRequest, withoutReason } from '../../ports/provider-approval.ts'
import { untilAborted } from '../../ports/signals.ts'
import { tellReturned } from '../../protocol/checks/returned.ts'
import { type Actor, decisionTypes } from '../../protocol/decision.ts'
import type { EntryOf } from '../../protocol/entries/entry.ts'
import { messageOf, PolicyFailed } from '../../protocol/errors/errors.ts'
import { cloneJson, type JsonObject, jsonEqual } from '../../protocol/json/json.ts'
import type { AssistantMessage, Message, ToolCall } from '../../protocol/message.ts'
import type { Review } from '../../protocol/request.ts'
import type { RunContext } from '../../protocol/run-context.ts'
import type { AgentDefinition, Tool } from '../definition/definition.ts'
import { guardCall } from '../definition/guardrails.ts'
import { modelMessages } from '../definition/model-messages.ts'
import type { FactsContext } from '../definition/tool/approval.ts'
import { recordArgs } from '../definition/tool/args.ts'
import { readFacts } from './exact-call.ts'
import { askCode, ON_APPROVAL } from './on-approval.ts'
import { showCall } from './show-call.ts'

/** The data for judging one answer. */
export interface JudgeContext {
  /** The agent that makes the calls. */
  agent: AgentDefinition
  /** The tools and hand-offs that its model was offered. Others do not exist for it. */
  tools: readonly Tool[]
  /** Its identity in the journal. */
  agentId: string
  /** All policies that apply: the root's, and those of every agent on the path to this one. */
  policies: readonly BoundPolicy[]
  runContext: RunContext
  threadId: string
  /** The conversation that led to the answer. */
  messages: readonly Message[]
  /** The answer. */
  message: AssistantMessage
  /** The argument for `preview` and `preconditions`. */
  facts: FactsContext
  /** Whether tool guardrails run before people are asked. */
  guardsFirst: boolean
  /** The store's time. */
  now: number
  /** The store's clock. */
  clock?: Clock | undefined
  /** The timeout of a request unless a policy sets one; `null` is none. */
  defaultTimeoutSeconds: number | null
  /** Formats the refusal of a call of an unknown tool. */
  formatNotFound(toolName: string, callId: string, defaultMessage: string): Promise<string>
}

/** An answer of a model. `unparsable` holds the problems of call arguments, by the call's position. */
interface JudgedMessage {
  readonly message: AssistantMessage
  readonly unparsable: ReadonlyMap<number, string>
}

/** Judges all calls of an answer before any of them starts (G8). Returns them with the tool definitions that were used. */
export async function judgeAll(
  context: JudgeContext,
  answer: JudgedMessage,
): Promise<{ calls: JudgedCall[]; definitions: Map<string, ToolDefinition> }> {
  const definitions = new Map<string, ToolDefinition>()
  const calls: JudgedCall[] = []
  const offered = new Set(context.tools.map(({ name }) => name))
  const findOffered = (name: string): Tool | undefined => {
    const found = context.agent.findTool(name)
    return found && offered.has(found.aliasOf ?? found.name) ? found : undefined
  }
  for (const [index, call] of (answer.message.toolCalls ?? []).entries()) {
    const tool = isApprovalRequest(call) ? context.agent.findHosted(call.name) : findOffered(call.name)
    if (!tool) {
      const text = modelMessages.unknownTool(call.name, [...offered])
      calls.push(invalid('unknown tool', await context.formatNotFound(call.name, call.id, text)))
      continue
    }
    definitions.set(tool.fingerprint, tool.definition)
    calls.push(await judge(context, tool, { call, unparsable: answer.unparsable.get(index) }))
  }
  return { calls: withOneHandoff(calls), definitions }
}

/** Refuses all hand-offs after the first: a conversation can go to one agent only. */
function withOneHandoff(calls: JudgedCall[]): JudgedCall[] {
  const first = calls.findIndex(isHandoff)
  if (first < 0) return calls
  return calls.map((call, i) => {
    if (i <= first || !isHandoff(call)) return call
    const verdict = { kind: 'deny', reason: 'another hand-off comes first' } as const
    return { verdict, refusal: errorResult(modelMessages.oneHandoff) }
  })
}

function isHandoff(call: JudgedCall): boolean {
  return 'args' in call && call.handoff === true
}

async function judge(
  context: JudgeContext,
  tool: Tool,
  { call, unparsable }: { call: ToolCall; unparsable: string | undefined },
): Promise<JudgedCall> {
  if (unparsable !== undefined) return invalid(unparsable, modelMessages.invalidArgs(tool.name, [unparsable]))
  const recorded = await recordArgs(tool, call.args)
  if (!recorded.ok)
    return invalid(recorded.problems.join('; '), modelMessages.invalidArgs(tool.name, recorded.problems))
  const { args } = recorded
  const { verdict, review, marks, by } = await judgeCall(context, tool, { callId: call.id, args })
  if (verdict.kind === 'deny' || verdict.kind === 'invalid') {
    const reason = verdict.kind === 'deny' ? verdict.reason : verdict.problem
    // The reason of onApproval reaches the model unchanged, like a person's message.
    const refusal = errorResult(by ? reason : modelMessages.denied(reason))
    const isUnexplained = isApprovalRequest(call) && reason === modelMessages.rejectedInCode(tool.name)
    return {
      verdict,
      refusal: isUnexplained ? withoutReason(refusal) : refusal,
      policies: marks,
      ...(by ? { by } : {}),
    }
  }
  if (verdict.kind === 'review' && context.guardsFirst) {
    const { agentId: agent, runContext } = context
    const called = { agent, toolName: tool.name, toolCallId: call.id, args, runContext }
    const said = await guardCall(tool.inputGuardrails, called)
    if (said !== undefined)
      return { verdict: { kind: 'deny', reason: said }, refusal: errorResult(said), policies: marks }
  }
  const facts =
    verdict.kind === 'review'
      ? await readFacts(tool, { args, asRun: true, argsInput: recorded.argsInput }, { ctx: context.facts })
      : {}
  const digest = callDigest({ tool: tool.name, definition: tool.fingerprint, args, ...facts })
  const { allowedDecisions = decisionTypes, timeoutSeconds, ...asked } = review
  const deadline = timeoutSeconds ?? context.defaultTimeoutSeconds
  return {
    verdict,
    args,
    asSent: jsonEqual(args, call.args),
    ...(recorded.argsInput ? { argsInput: recorded.argsInput } : {}),
    definition: tool.fingerprint,
    facts,
    digest,
    ...(verdict.kind === 'review' ? { shown: showCall(tool, args, digest) } : {}),
    allowedDecisions: [...allowedDecisions],
    resumable: tool.resumable,
    ...(tool.special?.kind === 'handoff' ? { handoff: true } : {}),
    ...(tool.special || tool.inputGuardrails.length > 0 ? { deferred: true } : {}),
    ask: {
      ...(asked as JudgedReview),
      ...(deadline === null ? {} : { expiresAt: context.now + deadline * 1000 }),
    },
    policies: marks,
    ...(by ? { by } : {}),
  }
}

type JudgedReview = Omit<Review, 'allowedDecisions'> & Pick<EntryOf<'request.opened'>, 'onTimeout'>

/** Combines `needsApproval`, `onApproval` and the policies into the verdict on one exact call. */
export async function judgeCall(
  context: PolicyContext,
  tool: Tool,
  call: { callId: string; args: JsonObject },
): Promise<Composed & { by?: Actor }> {
  const rule = await askTool(context, tool, { ...call, args: cloneJson(call.args) })
  const inCode = rule.verdict === 'review' && tool.onApproval ? await askCode(context, tool, call) : undefined
  const own = inCode ?? rule
  const composed = await askPolicies(context, tool, { ...call, own })
  return inCode?.verdict === composed.verdict.kind ? { ...composed, by: ON_APPROVAL } : composed
}

/** The part of the context that policies need. */
export type PolicyContext = Pick<
  JudgeContext,
  'agentId' | 'policies' | 'runContext' | 'threadId' | 'messages' | 'message' | 'clock'
>

/** Combines the policies' verdicts on one exact call with the tool's own verdict. */
export async function askPolicies(
  { agentId: agent, policies, runContext, threadId, messages, message, clock }: PolicyContext,
  tool: Tool,
  { callId: toolCallId, args, own }: { callId: string; args: JsonObject; own: PolicyVerdict },
): Promise<Composed> {
  const toolName = tool.aliasOf ?? tool.name
  const asked = { toolName, toolCallId, args, agent, runContext, threadId, messages, message }
  return composeVerdicts(policies, asked, { own, risk: tool.risk, inTime: (work) => inTime(work, clock) })
}

/** The timeout of a shadow policy. It decides nothing, so it must not delay a turn. */
const SHADOW_MS = 5000

async function inTime<T>(work: Promise<T>, clock: Clock | undefined): Promise<T> {
  const limit = new AbortController()
  const late = new Error(`it did not answer within ${SHADOW_MS / 1000} s`)
  const cancel = after(SHADOW_MS, () => limit.abort(late), clock)
  try {
    return await untilAborted(work, limit.signal)
  } finally {
    cancel()
  }
}

async function askTool(
  { runContext }: Pick<JudgeContext, 'runContext'>,
  tool: Tool,
  { callId, args }: { callId: string; args: JsonObject },
): Promise<PolicyVerdict> {
  const { needsApproval } = tool
  if (typeof needsApproval === 'boolean')
    return needsApproval ? { verdict: 'review', ...tool.review } : { verdict: 'allow' }
  let asked: unknown
  try {
    asked = await (needsApproval as (runContext: RunContext, args: unknown, callId: string) => unknown)(
      runContext,
      args,
      callId,
    )
  } catch (error) {
    throw new PolicyFailed(tool.name, `needsApproval of tool "${tool.name}" threw: ${messageOf(error)}`, {
      cause: error,
    })
  }
  if (typeof asked !== 'boolean')
    throw new PolicyFailed(
      tool.name,
      `needsApproval of tool "${tool.name}" returned ${tellReturned(asked)}; it must be true or false`,
    )
  return asked ? { verdict: 'review', ...tool.review } : { verdict: 'allow' }
}

function invalid(problem: string, text: string): JudgedCall {
  return { verdict: { kind: 'invalid', problem }, refusal: errorResult(text) }
}
