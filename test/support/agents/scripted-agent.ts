import type { JsonObject } from '../../../src/protocol/json/json.ts'
import { Agent, type AgentOptions } from '../../../src/runtime/agent/agent.ts'
import type { Tool } from '../../../src/runtime/definition/definition.ts'
import { type ScriptedModel, type ScriptStep, scriptedModel } from '../../../src/testing/scripted-model.ts'

/** A step in which the model makes these calls. */
export function calls(...made: [id: string, name: string, args?: JsonObject][]): ScriptStep {
  return { toolCalls: made.map(([id, name, args = {}]) => ({ id, name, args })) }
}

/** An agent that plays a script. */
export function scripted(
  script: readonly ScriptStep[],
  tools: readonly Tool[] = [],
  options: Partial<AgentOptions> = {},
): { agent: Agent; model: ScriptedModel } {
  const model = scriptedModel(script)
  return { model, agent: new Agent({ name: 'clerk', model, tools, ...options }) }
}
