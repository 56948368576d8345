import { framesOf, isSettled } from '../../core/queries.ts'
import type { Call, Frame, ThreadState } from '../../core/state.ts'
import { HoldpointError, messageOf } from '../../protocol/errors/errors.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { agentOf, ownerOf, requireAgents } from '../frames/frame-agents.ts'
import { changedPolicies, type FramePlace } from '../judging/judge-again.ts'

/** Whether a paused run can go on with the current agents. */
export interface Assessment {
  /**
   * `unaffected`: nothing that it needs has changed. `second-look`: it goes on, but something has changed, and people may be asked again about
   * approved calls. `impossible`: it cannot go on with these agents and stays paused.
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
        ...frame.calls.flatMap((call) => [...callReasons(agent, call), ...policyReasons(agent, { run, frame }, call)]),
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

/** Compares the version of a frame's agent. Old journals, and agents without a version, have none to compare. */
function frameReasons(root: AgentDefinition, frame: Frame): string[] {
  const { id, version } = frame.agent
  const agent = agentOf(root, frame)
  if (version === undefined || version === agent.version) return []
  return [`agent "${id}" began on version ${version}, and is version ${agent.version ?? 'none'}`]
}

/** A waiting call is judged again before it starts if its policies have changed. */
function policyReasons(root: AgentDefinition, { run, frame }: FramePlace, call: Call): string[] {
  if (isSettled(call) || call.phase.at === 'started') return []
  const changed = changedPolicies({ agent: root }, { run, frame }, call)
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
