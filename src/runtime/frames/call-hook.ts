import { openRun } from '../../core/open-run.ts'
import type { Call, Release } from '../../core/state.ts'
import { frameOf } from '../../protocol/ids.ts'
import type { GuardedCall } from '../definition/guardrails.ts'
import type { ToolHook } from '../definition/middleware.ts'
import { frameContext, type RunParts } from './frame-agents.ts'

/** A released call as guardrails see it. */
export function guarded(parts: RunParts, call: Call, release: Release): GuardedCall {
  return { agent: call.agent.id, ...hookOf(parts, call, release) }
}

/** A released call as hooks see it. */
export function hookOf(parts: RunParts, call: Call, release: Release): ToolHook {
  const { state } = parts.journal
  const runContext = frameContext(state, openRun(state), frameOf(call.key))
  return { runContext, toolName: release.tool, toolCallId: call.id, args: release.args }
}
