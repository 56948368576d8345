import { callDigest, type ToolDefinition } from '../core/digest.ts'
import type { JudgedCall } from '../core/plan/answer.ts'
import { errorResult } from '../core/plan/results.ts'
import { strictest } from '../core/verdict.ts'
import { decisionTypes } from '../protocol/decision.ts'
import type { Verdict } from '../protocol/entry.ts'
import { messageOf, PolicyFailed } from '../protocol/errors.ts'
import { jsonEqual } from '../protocol/json.ts'
import type { ToolCall } from '../protocol/message.ts'
import type { Agent } from './agent.ts'
import { recordArgs } from './args.ts'
import type { ModelAnswer } from './model-answer.ts'
import type { RunContext, Tool } from './tool.ts'
import { words } from './words.ts'

/** What judging one answer needs. */
export interface Court {
  agent: Agent
  runContext: RunContext
  /** Words a refusal that the formatter may have a say in. */
  formatNotFound(toolName: string, callId: string, defaultMessage: string): Promise<string>
}

/** All calls of an answer, judged before any of them starts (G8), and the definitions that they were judged by. */
export async function judgeAll(
  court: Court,
  answer: ModelAnswer,
): Promise<{ calls: JudgedCall[]; definitions: Map<string, ToolDefinition> }> {
  const definitions = new Map<string, ToolDefinition>()
  const calls: JudgedCall[] = []
  for (const [index, call] of (answer.message.toolCalls ?? []).entries()) {
    const tool = court.agent.findTool(call.name)
    if (!tool) {
      const text = words.unknownTool(
        call.name,
        court.agent.tools.map((known) => known.name),
      )
      calls.push(invalid('unknown tool', await court.formatNotFound(call.name, call.id, text)))
      continue
    }
    definitions.set(tool.fingerprint, tool.definition)
    calls.push(await judge(court, tool, call, answer.unparsable.get(index)))
  }
  return { calls, definitions }
}

async function judge(court: Court, tool: Tool, call: ToolCall, unparsable: string | undefined): Promise<JudgedCall> {
  if (unparsable !== undefined) return invalid(unparsable, words.invalidArgs(tool.name, [unparsable]))
  const recorded = await recordArgs(tool, call.args)
  if (!recorded.ok) return invalid(recorded.problems.join('; '), words.invalidArgs(tool.name, recorded.problems))
  const verdict = strictest([await askTool(court, tool, call.id, recorded.value)])
  if (verdict.kind === 'deny' || verdict.kind === 'invalid') {
    return { verdict, refusal: errorResult(verdict.kind === 'deny' ? verdict.reason : verdict.problem) }
  }
  const { args } = recorded
  return {
    verdict,
    args,
    asSent: jsonEqual(args, call.args),
    definition: tool.fingerprint,
    digest: callDigest({ tool: tool.name, definition: tool.fingerprint, args }),
    allowedDecisions: [...decisionTypes],
    resumable: tool.resumable,
  }
}

async function askTool({ runContext }: Court, tool: Tool, callId: string, args: unknown): Promise<Verdict> {
  const { needsApproval } = tool
  if (typeof needsApproval === 'boolean') return { kind: needsApproval ? 'review' : 'allow' }
  let asked: unknown
  try {
    asked = await (needsApproval as (context: RunContext, args: unknown, callId: string) => unknown)(
      runContext,
      args,
      callId,
    )
  } catch (error) {
    throw new PolicyFailed(tool.name, `threw: ${messageOf(error)}`, error)
  }
  if (typeof asked !== 'boolean')
    throw new PolicyFailed(tool.name, `returned ${messageOf(asked)} (${typeof asked}), not a boolean`)
  return { kind: asked ? 'review' : 'allow' }
}

function invalid(problem: string, text: string): JudgedCall {
  return { verdict: { kind: 'invalid', problem }, refusal: errorResult(text) }
}
