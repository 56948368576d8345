import type { Call, Release } from '../../core/state.ts'
import type { RunContext } from '../../protocol/run-context.ts'
import type { AgentDefinition, Tool } from '../definition/definition.ts'

/** A call that was started in the journal, ready to run. */
export interface StartedCall {
  call: Call
  release: Release
  attempt: number
  tool: Tool
  /** Who made the call. */
  agent: AgentDefinition
  runContext: RunContext
  /** The lease that its start was written under, if there is one. */
  token: number | undefined
  /** Its start was written by this activation, so that nobody can have begun it before. */
  fresh: boolean
}
