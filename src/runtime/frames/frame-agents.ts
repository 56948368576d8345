import { copyContext, runContextOf } from '../../core/open-run.ts'
import { findCall, lineOf } from '../../core/queries.ts'
import type { Call, Frame, Run, ThreadState } from '../../core/state.ts'
import type { BoundPolicy } from '../../policy/compose.ts'
import { type CallKey, type FrameKey, frameOf } from '../../protocol/ids.ts'
import type { JsonValue } from '../../protocol/json/json.ts'
import type { RunContext } from '../../protocol/run-context.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { Journal } from '../journal/journal.ts'

/** Who judges the calls of a run: its root agent, and the process that drives it. */
export interface Judges {
  readonly agent: AgentDefinition
  /** The policies of the process. They judge every call in addition to the agents' own. */
  readonly policies?: readonly BoundPolicy[] | undefined
}

/** A running run: its root agent and its journal. */
export interface RunParts extends Judges {
  readonly journal: Journal
}

/** The agent whose turn it is in a frame. */
export function agentOf(root: AgentDefinition, { agent }: Frame): AgentDefinition {
  return agent.id === root.id ? root : root.graph.require(agent)
}

/** The agent that made a call. */
export function ownerOf(root: AgentDefinition, { agent }: Call): AgentDefinition {
  return agent.id === root.id ? root : root.graph.require(agent)
}

/** Throws if another agent started the run, or if the root cannot reach an agent of the run. */
export function requireAgents(root: AgentDefinition, run: Run): void {
  root.requireIdentity(run.agent.id)
  for (const frame of run.frames.values()) {
    membersOf(root, frame)
    for (const call of frame.calls) ownerOf(root, call)
  }
}

/** The agents that have had a frame's conversation, in order of the hand-offs. The current one is last. */
function membersOf(root: AgentDefinition, { way }: Frame): AgentDefinition[] {
  return way.map((ref) => (ref.id === root.id ? root : root.graph.require(ref)))
}

/**
 * The policies that judge the calls of a frame: those of the process, the root's, then those of every agent on the path to the caller (G8). An agent
 * that handed over still counts, since its policies may name the tools of the agents that it hands over to.
 *
 * Each policy reads the application's data of the frame that its agent works in. A nested run with its own data so cannot loosen the policies around
 * it.
 */
export function policiesOver(
  { agent: root, policies: own = [] }: Judges,
  run: Run,
  { key, way }: Frame,
): readonly BoundPolicy[] {
  if (key === run.id && way.length === 1) return own.length === 0 ? root.policies : [...own, ...root.policies]
  const line = lineOf(run, key)
  const placed = new Map<AgentDefinition, Frame>()
  for (const frame of line) for (const one of membersOf(root, frame)) if (!placed.has(one)) placed.set(one, frame)
  placed.delete(root)
  const readBy = contextReader(run, line)
  const outermost = readBy(line[0]?.key ?? run.id)
  return [
    ...[...own, ...root.policies].map(outermost),
    ...[...placed].flatMap(([one, frame]) => one.policies.map(readBy(frame.key))),
  ]
}

/** Gives a policy the application's data of its own frame, if a frame further in has another. */
function contextReader(run: Run, line: readonly Frame[]): (frame: FrameKey) => (bound: BoundPolicy) => BoundPolicy {
  const last = line.findLastIndex(({ context }) => context !== undefined)
  return (frame) => {
    if (line.findIndex(({ key }) => key === frame) >= last) return (bound) => bound
    return ({ policy, judge }) => ({
      policy,
      judge: (call) => judge({ ...call, runContext: { ...call.runContext, context: copyContext(run, frame) } }),
    })
  }
}

/** The run context for the rules and formatters of a frame. In a nested frame `toolInput` is the arguments of the call that opened it. */
export function frameContext(state: ThreadState, run: Run, frameKey: string): RunContext {
  const runContext = runContextOf(run, frameKey)
  const call = frameKey === run.id ? undefined : findCall(state, frameKey as CallKey)
  if (call?.phase.at !== 'started') return runContext
  return { ...runContext, toolInput: structuredClone(call.phase.release.args) as JsonValue }
}

/** The run context of the frame that a call belongs to. */
export function callContext(state: ThreadState, run: Run, call: CallKey): RunContext {
  return frameContext(state, run, frameOf(call))
}
