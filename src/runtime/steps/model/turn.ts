import { openRun } from '../../../core/open-run.ts'
import { type JudgedAnswer, planAnswer } from '../../../core/plan/answer.ts'
import { isInsideRejected, shownMessages } from '../../../core/queries.ts'
import type { Frame, ThreadState } from '../../../core/state.ts'
import type { Entry } from '../../../protocol/entries/entry.ts'
import { agentOf, frameContext } from '../../frames/frame-agents.ts'
import type { Activation } from '../../journal/activation.ts'
import { mayDropLease } from '../../journal/may-drop-lease.ts'
import type { AnswerJudge, Turn } from './judge-answer.ts'

/** Dependencies of what begins and ends a turn. */
export interface TurnRecorder extends AnswerJudge {
  readonly activation: Activation
}

/** A frame's next turn, as it is now. */
export function beginTurn({ journal, agent: root }: AnswerJudge, frame: Frame, signal: AbortSignal): Turn {
  const run = openRun(journal.state)
  const agent = agentOf(root, frame)
  return {
    ...{ run, frame, agent, signal },
    tools: agent.toolset,
    number: frame.turn + 1,
    read: frame.queued.length,
    cleared: frame.cleared,
    messages: [...shownMessages(frame), ...frame.queued],
    runContext: frameContext(journal.state, run, frame.key),
    guardrails: [],
  }
}

/** Records a judged answer. `undefined` if the frame no longer waits for this turn. */
export async function recordAnswer(parts: TurnRecorder, turn: Turn, plan: JudgedAnswer): Promise<Entry[] | undefined> {
  const { activation, grants } = parts
  const { signal } = turn
  await activation.ensureMargin()
  return activation.write((state) => {
    // The run may have ended, or the turn been taken, while the model was answering.
    if (!isStill(state, turn)) return undefined
    plan.grants = grants.known
    const { entries, grants: spent } = planAnswer(state, openRun(state), plan)
    signal.throwIfAborted()
    return { entries, grants: spent, drop: mayDropLease(state, entries) }
  }, grants)
}

/** Whether the frame still waits for this turn. What the model read must not have been cleared meanwhile. */
export function isStill(state: ThreadState, { run, frame, number, read, cleared }: Turn): boolean {
  if (state.run?.id !== run.id || !awaitsModel(state, frame) || frame.turn !== number - 1) return false
  return read === 0 || frame.cleared === cleared
}

/** Whether a frame still waits for its model. Frames are folded in place, so object identity means the same frame of the same run. */
export function awaitsModel(state: ThreadState, frame: Frame): boolean {
  const { run } = state
  if (run?.status !== 'open' || isInsideRejected(state, frame.key)) return false
  return run.frames.get(frame.key) === frame && frame.calls.length === 0
}
