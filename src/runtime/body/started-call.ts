import type { Call, Release } from '../../core/state.ts'
import type { RunContext } from '../../protocol/run-context.ts'
import type { AgentDefinition, Tool } from '../definition/definition.ts'

/** A call that was started in the journal, ready to run. */
export interface StartedCall {
  call: Call
  release: Release
  attempt: number
  tool: Tool
  /** The agent that made the call. */
  agent: AgentDefinition
  runContext: RunContext
  /** The token of the lease under which its start was written, if there is one. */
  token: number | undefined
  /** Its start was written by this activation, so nobody can have begun it before. */
  fresh: boolean
}
