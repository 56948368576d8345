import { gateDecisions } from '../../../core/plan/accepted-decisions.ts'
import type { JudgedAnswer, JudgedCall } from '../../../core/plan/answer.ts'
import { errorResult } from '../../../core/plan/results.ts'
import { isRoot, sameCallKey, shownMessages } from '../../../core/queries.ts'
import type { Frame, Run } from '../../../core/state.ts'
import { addUsage } from '../../../core/usage.ts'
import type { Channel } from '../../../ports/channel.ts'
import type { ModelResponse } from '../../../ports/model.ts'
import { isApprovalRequest, withoutReason } from '../../../ports/provider-approval.ts'
import type { GuardrailResult } from '../../../protocol/entries/entry.ts'
import { type HoldpointError, MaxRejectionsExceeded } from '../../../protocol/errors/errors.ts'
import { type AssistantMessage, type Message, type ToolResult, textOf } from '../../../protocol/message.ts'
import type { RunContext } from '../../../protocol/run-context.ts'
import type { IdSource } from '../../../protocol/uuid.ts'
import type { AgentDefinition, Tool } from '../../definition/definition.ts'
import { guardOutput } from '../../definition/guardrails.ts'
import { gateFor } from '../../definition/hooks.ts'
import type { Gate } from '../../definition/middleware.ts'
import { modelMessages } from '../../definition/model-messages.ts'
import { readOutput } from '../../definition/output-type.ts'
import { policiesOver, type RunParts } from '../../frames/frame-agents.ts'
import { frameResult } from '../../frames/frame-result.ts'
import type { KnownGrants } from '../../journal/known-grants.ts'
import type { FactsSource } from '../../judging/exact-call.ts'
import { judgeAll } from '../../judging/judge.ts'
import { formatRefusal, type RefusalFormat } from '../format-refusal.ts'
import { type ModelAnswer, toAnswer } from './model-answer.ts'

/** Dependencies of `judgeAnswer`. */
export interface AnswerJudge extends RunParts, FactsSource, RefusalFormat {
  readonly grants: KnownGrants
  readonly channel: Channel | undefined
  readonly newId: IdSource
}

/** A model turn, as it was when it began. */
export interface Turn {
  readonly run: Run
  readonly frame: Frame
  readonly agent: AgentDefinition
  /** The tools and hand-offs that are enabled in this turn. */
  readonly tools: readonly Tool[]
  readonly signal: AbortSignal
  readonly number: number
  /** The number of queued inputs that the model reads in this turn. */
  readonly read: number
  /** How often staged input had been cleared. */
  readonly cleared: number
  readonly messages: Message[]
  readonly runContext: RunContext
  /** What guardrails of the agent returned so far in this turn. */
  readonly guardrails: GuardrailResult[]
}

/** Checks and judges an answer. The usage that policies and rules see includes it. `error` must be thrown after the answer was recorded. */
export async function judgeAnswer(
  parts: AnswerJudge,
  turn: Turn,
  response: ModelResponse,
): Promise<{ plan: JudgedAnswer; error?: HoldpointError }> {
  const { journal, grants, newId } = parts
  const { run, frame, agent } = turn
  const answer = toAnswer(response, newId, agent)
  const { message, usage } = answer
  const runContext = { ...turn.runContext, usage: addUsage(turn.runContext.usage, usage) }
  const judged = await judgeCalls(parts, { ...turn, runContext }, answer)
  const gate = await guardedGate({ ...turn, runContext }, message)
  await readGrants(parts, turn, { message, calls: judged.calls })
  // An answer that a gate holds does not end the frame yet.
  const endsFrame = !message.toolCalls?.length && !gate
  const ended = endsFrame ? await frameResult(parts, frame, message) : undefined
  const plan: JudgedAnswer = {
    ...(gate ? { gate: askGate(gate, journal.now()) } : {}),
    ...(ended ? { result: ended.result } : {}),
    frame,
    message,
    ...(usage ? { usage } : {}),
    read: turn.read,
    guardrails: turn.guardrails,
    definitions: judged.definitions,
    calls: judged.calls.map((call, index) => withRejections(run, message.toolCalls?.[index]?.name ?? '', call)),
    newId,
    refusals: await grantRefusals(parts, { agent, runContext }, message),
    grants: grants.known,
    now: journal.now(),
  }
  return { plan, ...(ended?.error ? { error: ended.error } : {}) }
}

function judgeCalls(parts: AnswerJudge, turn: Turn, answer: ModelAnswer): ReturnType<typeof judgeAll> {
  const { journal } = parts
  const { run, frame, agent, tools, runContext } = turn
  return judgeAll(
    {
      agent,
      tools,
      agentId: frame.agent.id,
      policies: policiesOver(parts, run, frame),
      runContext,
      threadId: journal.state.threadId,
      messages: shownMessages(frame),
      message: answer.message,
      facts: parts.factsContext(frame.key),
      guardsFirst: run.options.preApprovalInputGuardrails ?? false,
      now: journal.now(),
      clock: journal.store.clock,
      defaultTimeoutSeconds: parts.channel?.defaultTimeoutSeconds ?? null,
      formatNotFound: (toolName, callId, defaultMessage) =>
        formatRefusal(parts, agent, { kind: 'tool_not_found', toolName, callId, defaultMessage, runContext }),
    },
    answer,
  )
}

/** Runs the output guardrails on an answer without calls, then the `afterModel` hooks. Returns the gate that holds it, if any. */
async function guardedGate(turn: Turn, message: AssistantMessage): Promise<Gate | undefined> {
  const { agent, frame, runContext, messages } = turn
  const hook = { runContext, messages, turn: turn.number }
  if (!message.toolCalls?.length) {
    const output = textOf(message.content)
    await readOutput(agent.outputType, output)
    const take = (result: GuardrailResult) => void turn.guardrails.push(result)
    await guardOutput(agent.outputGuardrails, { agent: frame.agent.id, output, ...hook }, take)
  }
  return gateFor(agent, hook, message)
}

/** Reads the grants that may cover the calls under review. Those of a conversation may deny any call of it, and are not in this journal. */
async function readGrants(
  { journal, grants }: AnswerJudge,
  { run, frame, number }: Turn,
  { message, calls }: { message: AssistantMessage; calls: readonly JudgedCall[] },
): Promise<void> {
  const tools = isReviewed(calls) || run.host ? (message.toolCalls ?? []).map(({ name }) => name) : []
  const turn = { number, agent: frame.agent.id, tools, alone: isRoot(run, frame) }
  const reading = grants.forTurn(journal.state, run, turn)
  if (reading !== undefined) await reading
}

function isReviewed(calls: readonly JudgedCall[]): boolean {
  return calls.some(({ verdict }) => verdict.kind === 'review')
}

/** The stored form of a gate. */
function askGate({ timeoutSeconds, allowedDecisions, ...gate }: Gate, now: number): NonNullable<JudgedAnswer['gate']> {
  return {
    ...gate,
    allowedDecisions: [...(allowedDecisions ?? gateDecisions)],
    ...(timeoutSeconds === undefined ? {} : { expiresAt: now + timeoutSeconds * 1000 }),
  }
}

/** Applies `maxRejections`: a call that people rejected that often ends the run, or is marked for the next reviewer. */
function withRejections(run: Run, tool: string, call: JudgedCall): JudgedCall {
  const { maxRejections } = run.options
  if (!maxRejections || 'refusal' in call || call.verdict.kind !== 'review') return call
  if ((run.rejections.get(sameCallKey(tool, call.args)) ?? 0) < maxRejections.limit) return call
  if (maxRejections.action === 'end') throw new MaxRejectionsExceeded(tool, maxRejections.limit)
  return { ...call, ask: { ...call.ask, reason: 'rejected_before', risk: 'high' } }
}

/** The refusal of each call, for the case that a standing rejection covers it. */
async function grantRefusals(
  parts: AnswerJudge,
  { agent, runContext }: Pick<Turn, 'agent' | 'runContext'>,
  { toolCalls = [] }: AssistantMessage,
): Promise<ToolResult[]> {
  if (!parts.grants.known.some(({ grant }) => grant.effect === 'deny')) return []
  return Promise.all(
    toolCalls.map(async (call) => {
      const { name: toolName, id: callId } = call
      const defaultMessage = modelMessages.rejected(toolName)
      const failure = { kind: 'approval_rejected', runContext, toolName, callId, defaultMessage } as const
      const text = await formatRefusal(parts, agent, failure)
      const result = errorResult(text)
      return text === defaultMessage && isApprovalRequest(call) ? withoutReason(result) : result
    }),
  )
}
