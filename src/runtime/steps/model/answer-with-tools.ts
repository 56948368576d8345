import type { Frame } from '../../../core/state.ts'
import { finalOutputOf } from '../../definition/tool-use.ts'
import { agentOf } from '../../frames/frame-agents.ts'
import { NO_USAGE, recordTripped } from './discard.ts'
import { judgeAnswer } from './judge-answer.ts'
import { awaitsModel, beginTurn, recordAnswer, type TurnRecorder } from './turn.ts'

/**
 * Ends a frame with the results of its tools, if its agent's `toolUseBehavior` says so. They make an answer like the model's: guardrails, output type
 * and gates apply to it. `false` if the model has to be asked, also because input arrived that it has not read.
 */
export async function answerWithTools(
  parts: TurnRecorder & { readonly signal: AbortSignal },
  frame: Frame,
  signal = parts.signal,
): Promise<boolean> {
  const agent = agentOf(parts.agent, frame)
  if (agent.toolUseBehavior === 'run_llm_again' || frame.outcomes.length === 0 || frame.queued.length > 0) return false
  await parts.activation.acquire()
  if (!awaitsModel(parts.journal.state, frame) || frame.outcomes.length === 0) return true
  const turn = beginTurn(parts, frame, signal)
  const content = await finalOutputOf(agent, frame.outcomes, turn.runContext)
  if (content === undefined) return false
  const { plan, error } = await judgeAnswer(parts, turn, { content, usage: NO_USAGE }).catch(recordTripped(parts, turn))
  const entries = await recordAnswer(parts, turn, { ...plan, byTools: true })
  if (entries && error) throw error
  return true
}
