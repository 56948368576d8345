import { Agent, type AgentOptions } from '../../src/runtime/agent/agent.ts'
import type { Tool } from '../../src/runtime/definition/definition.ts'
import { type ScriptStep, scriptedModel } from '../../src/testing/scripted-model.ts'
import { calls, scripted } from '../support/agents/scripted-agent.ts'

/** A clerk who calls an agent named inner as a tool, each with a script. */
export function nested(options: {
  inner: readonly ScriptStep[]
  tools: readonly Tool[]
  outer?: readonly ScriptStep[]
  asTool?: Parameters<Agent['asTool']>[0]
  agent?: Partial<AgentOptions>
  root?: Partial<AgentOptions>
}) {
  const innerModel = scriptedModel(options.inner)
  const inner = new Agent({ name: 'inner', model: innerModel, tools: options.tools, ...options.agent })
  const outer = options.outer ?? [calls(['i', 'inner', { input: 'go' }]), 'done']
  return { inner, innerModel, ...scripted(outer, [inner.asTool(options.asTool)], options.root) }
}
