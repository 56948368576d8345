import type { Handoff, Tool } from '@openai/agents'
import { InputInvalid } from '../../ports.ts'
import type { AnyAgent, AnyFunctionTool, Gated } from './options.ts'
import { gateTool, judging, passing } from './tools.ts'

type AnyTool = Tool<unknown>
type AnyHandoff = Handoff<never, never>

/** Puts agents under a gate: copies whose tools, MCP servers and hand-offs are gated too. */
export class GatedAgents {
  readonly #gated: Gated
  readonly #copies = new WeakMap<AnyAgent, AnyAgent>()
  /** Tools that are under the gate already. */
  readonly #tools = new WeakSet<object>()

  constructor(gated: Gated) {
    this.#gated = gated
  }

  /** The copy of an agent. Agents that hand over to one another are copied once. */
  copy<TAgent extends AnyAgent>(agent: TAgent): TAgent {
    const known = this.#copies.get(agent)
    if (known) return known as TAgent
    const copy = agent.clone({ tools: agent.tools.map((tool) => this.#tool(tool as AnyTool)) }) as AnyAgent
    this.#copies.set(agent, copy)
    this.#copies.set(copy, copy)
    copy.handoffs = agent.handoffs.map((target) => this.#handoff(target as AnyAgent | AnyHandoff)) as never
    const { getAllTools } = copy
    copy.getAllTools = async (runContext, parent) => {
      const tools = await getAllTools.call(copy, runContext, parent)
      return tools.map((tool) => this.#tool(tool))
    }
    this.#gateAsTool(copy)
    return copy as TAgent
  }

  #handoff(target: AnyAgent | AnyHandoff): AnyAgent | AnyHandoff {
    if (!('onInvokeHandoff' in target)) return this.copy(target)
    return target.clone({ agent: this.copy(target.agent as unknown as AnyAgent) as never }) as AnyHandoff
  }

  #tool(tool: AnyTool): AnyTool {
    if (this.#tools.has(tool)) return tool
    if ((this.#gated.options.ungated ?? []).includes(tool.name)) return tool
    if (tool.type !== 'function') {
      throw new InputInvalid(
        `${tool.name} is a tool of type ${tool.type}, which a gate cannot hold. Name it in ungated of openaiGate to let it run without the gate.`,
      )
    }
    if (isAgentTool(tool)) {
      throw new InputInvalid(
        `The agent behind the tool ${tool.name} is not under this gate: make the tool with gate.agent(…).asTool(…).`,
      )
    }
    const gated = gateTool(this.#gated, tool as AnyFunctionTool)
    this.#tools.add(gated)
    return gated as AnyTool
  }

  /** An agent tool is changed in place: the SDK finds the agent behind it by the object. */
  #gateAsTool(copy: AnyAgent): void {
    const asTool = copy.asTool as (options: {
      needsApproval?: AnyFunctionTool['needsApproval'] | boolean
    }) => AnyFunctionTool
    copy.asTool = ((options: Parameters<typeof asTool>[0]) => {
      const needsApproval = judging(this.#gated, () => made, options.needsApproval ?? false)
      const made: AnyFunctionTool = asTool.call(copy, { ...options, needsApproval })
      made.invoke = passing(this.#gated, made, made.invoke)
      this.#tools.add(made)
      return made
    }) as never
  }
}

function isAgentTool(tool: AnyTool): boolean {
  return 'on' in tool && typeof tool.on === 'function'
}
