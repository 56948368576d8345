import { type Call, type Frame, framesOf, isSettled, type Run, type ThreadState } from '../../core/state.ts'
import { HoldpointError, messageOf } from '../../protocol/errors/errors.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { agentOf, ownerOf, requireAgents } from '../frames/frame-agents.ts'
import { changedPolicies } from '../judging/judge-again.ts'

/** How a paused run stands towards the agents as they are now. */
export interface Assessment {
  /**
   * `unaffected`: it goes on as if nothing had changed. `second-look`: it goes on, but something about it changed, and what was approved may be
   * asked again. `impossible`: it cannot go on with these agents; it stays as it is.
   */
  readonly kind: 'unaffected' | 'second-look' | 'impossible'
  readonly reasons: readonly string[]
}

/** Compares an open run with the agents that would resume it. Changes nothing. */
export function assess(agent: AgentDefinition, state: ThreadState): Assessment {
  const { run } = state
  if (run?.status !== 'open') return { kind: 'unaffected', reasons: ['its run is over'] }
  try {
    requireAgents(agent, run)
    const reasons = [
      ...versionReasons(agent, run.agent.version),
      ...framesOf(state).flatMap((frame) => [
        ...frameReasons(agent, frame),
        ...frame.calls.flatMap((call) => [...callReasons(agent, call), ...policyReasons(agent, run, frame, call)]),
      ]),
    ]
    return { kind: reasons.length > 0 ? 'second-look' : 'unaffected', reasons: [...new Set(reasons)] }
  } catch (error) {
    if (!HoldpointError.isInstance(error)) throw error
    return { kind: 'impossible', reasons: [messageOf(error)] }
  }
}

function versionReasons(agent: AgentDefinition, started: string | undefined): string[] {
  if (started === agent.version) return []
  return [`it was started on version ${started ?? 'none'}, and the agent is version ${agent.version ?? 'none'}`]
}

/** The root's version is the run's. Journals of old, and agents without a version, say nothing of theirs. */
function frameReasons(root: AgentDefinition, frame: Frame): string[] {
  const { id, version } = frame.agent
  const agent = agentOf(root, frame)
  if (version === undefined || version === agent.version) return []
  return [`agent "${id}" began on version ${version}, and is version ${agent.version ?? 'none'}`]
}

/** A call that waits is judged once more before it starts if its policies have changed. */
function policyReasons(root: AgentDefinition, run: Run, frame: Frame, call: Call): string[] {
  if (isSettled(call) || call.phase.at === 'started') return []
  const changed = changedPolicies(root, run, frame, call)
  const request = 'request' in call.phase ? call.phase.request?.opened.id : undefined
  const what = request === undefined ? `the call of ${call.tool}` : `request ${request} (${call.tool})`
  return changed.length > 0 ? [`${what} will be judged once more: ${changed.join(', ')}`] : []
}

function callReasons(root: AgentDefinition, call: Call): string[] {
  if (isSettled(call) || call.definition === undefined) return []
  const { phase } = call
  const released = phase.at === 'released' || phase.at === 'started' ? phase.release : undefined
  const name = released?.tool ?? call.tool
  const tool = ownerOf(root, call).requireTool(name)
  return tool.fingerprint === (released?.definition ?? call.definition)
    ? []
    : [`the definition of ${name} changed since it was asked about`]
}
