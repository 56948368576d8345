import { planFrameEnd } from '../../core/plan/frames.ts'
import { errorResult } from '../../core/plan/results.ts'
import type { Frame } from '../../core/state.ts'
import { modelMessages } from '../definition/model-messages.ts'
import { agentOf, type RunParts } from '../frames/frame-agents.ts'
import type { Activation } from '../journal/activation.ts'

/** Ends a nested run that reached its limit of model turns, with an error result for the calling agent. */
export async function stopFrame(
  { agent, activation }: RunParts & { activation: Activation },
  frame: Frame,
  maxTurns: number,
): Promise<void> {
  const result = errorResult(modelMessages.agentStopped(agentOf(agent, frame).name, maxTurns))
  await activation.write((state) => {
    const { run } = state
    if (run?.status !== 'open' || run.frames.get(frame.key) !== frame || frame.calls.length > 0) return undefined
    return { entries: planFrameEnd(state, { run, frame }, result) }
  })
}
