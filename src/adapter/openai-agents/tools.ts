import { isDeepStrictEqual } from 'node:util'
import type { RunContext } from '@openai/agents'
import { callProblem, HoldpointNotReleased, hostPolicy, pendingRequest } from '../../gate.ts'
import type { JsonObject, JsonValue } from '../../index.ts'
import { InputInvalid } from '../../ports.ts'
import { describedCall, parseArgs } from './calls.ts'
import type { AnyFunctionTool, Gated } from './options.ts'

type NeedsApproval = AnyFunctionTool['needsApproval']
type Invoke = AnyFunctionTool['invoke']

/** A function tool whose calls are judged where the SDK asks for approval, and run once where it would run them. */
export function gateTool(gated: Gated, tool: AnyFunctionTool): AnyFunctionTool {
  return { ...tool, needsApproval: judging(gated, () => tool), invoke: executing(gated, tool) }
}

/** Judges a call. The tool's own rule is asked only about a call that was not judged before. */
export function judging(gated: Gated, toolOf: () => AnyFunctionTool, ownRule?: NeedsApproval | boolean): NeedsApproval {
  const { gate } = gated
  return async (runContext, args, callId) => {
    const tool = toolOf()
    const named = { callId, toolName: tool.name, args: args as JsonObject }
    const call = describedCall(gated, named, { tool, runContext: runContext as RunContext<unknown> })
    // It is refused where it would run.
    if (callProblem(call) !== undefined) return false
    const rule = ownRule ?? tool.needsApproval
    const isNew = (await gate.state(call)).status === 'refused'
    const asks = isNew && (typeof rule === 'boolean' ? rule : await rule(runContext, args, callId))
    if (asks && !gate.policies.includes(hostPolicy.name)) {
      throw new InputInvalid(
        `needsApproval of ${tool.name} has no effect on this gate: add hostPolicy to it, as in createGate({ policy: [hostPolicy, …], … }).`,
      )
    }
    const [state] = await gate.judge([asks ? { ...call, context: { ...call.context, hostReview: true } } : call])
    return pendingRequest(state!) !== undefined
  }
}

/** Runs a released call, once. Throws for a call that nobody has released, whatever the state of the run says. */
function executing(gated: Gated, tool: AnyFunctionTool): Invoke {
  return async (runContext, input, details) => {
    const { args, call, problem } = invoked(gated, tool, { runContext, input, details })
    if (problem) return refusal(tool, problem, { runContext, details })
    const { signal } = details ?? {}
    const live: { output?: unknown; isHere: boolean } = { isHere: false }
    try {
      const stored = await gated.gate.execute<JsonObject>(
        call,
        async (released) => {
          live.output = await runEdited(args, released, (text) => tool.invoke(runContext, text ?? input, details))
          live.isHere = true
          return toStored(live.output)
        },
        signal ? { signal } : {},
      )
      if (live.isHere) return live.output
      return 'lost' in stored ? `${tool.name} ran before. Its result cannot be given again.` : stored.output
    } catch (error) {
      if (!(error instanceof HoldpointNotReleased) || error.status !== 'refused') throw error
      return refusal(tool, error, { runContext, details })
    }
  }
}

/**
 * An agent as a tool. It has no effect of its own: the calls of the nested agent are judged and run one by one, and it is invoked again to continue after a
 * pause. So its release is checked each time, and not spent.
 */
export function passing(gated: Gated, tool: AnyFunctionTool, invoke: Invoke): Invoke {
  return async (runContext, input, details) => {
    const { args, call, problem } = invoked(gated, tool, { runContext, input, details })
    if (problem) return refusal(tool, problem, { runContext, details })
    const state = await gated.gate.wait(call, { timeoutSeconds: 0 })
    switch (state.status) {
      case 'free':
        return invoke(runContext, input, details)
      case 'released':
        return runEdited(args, state.args, (text) => invoke(runContext, text ?? input, details))
      case 'refused':
        return refusal(tool, new HoldpointNotReleased(tool.name, state), { runContext, details })
      case 'held':
      case 'finished':
      case 'unknown': {
        const message = `Not run: this call of ${tool.name} is ${state.status}.`
        throw new HoldpointNotReleased(tool.name, { status: state.status, message })
      }
      default:
        return state satisfies never
    }
  }
}

/** What the SDK invokes a tool with. */
interface Invocation {
  readonly runContext: RunContext<unknown>
  readonly input: string
  readonly details: Parameters<Invoke>[2]
}

/** The call that is invoked. `problem`: why no gate could judge it. */
function invoked(gated: Gated, tool: AnyFunctionTool, { runContext, input, details }: Invocation) {
  const { name } = tool
  const args = parseArgs(input)
  if (!args) throw new InputInvalid(`The arguments of ${name} are not a JSON object.`)
  const named = { callId: details?.toolCall?.callId, toolName: name, args }
  const call = describedCall(gated, named, { tool, runContext })
  const why = callProblem(call)
  if (why === undefined) return { args, call }
  return { args, call, problem: new HoldpointNotReleased(name, { status: 'refused', message: `Not run: ${why}` }) }
}

/** If a person changed the arguments, the model is told: its own call still has the old ones. */
async function runEdited(
  args: JsonObject,
  released: JsonObject,
  run: (text: string | undefined) => Promise<unknown>,
): Promise<unknown> {
  if (isDeepStrictEqual(args, released)) return run(undefined)
  const text = JSON.stringify(released)
  const output = await run(text)
  return typeof output === 'string' ? `A person changed the arguments to ${text}. Result: ${output}` : output
}

/** What the model gets in place of a result. A tool with an output schema says itself what fits it. */
async function refusal(
  tool: AnyFunctionTool,
  error: HoldpointNotReleased,
  { runContext, details }: Omit<Invocation, 'input'>,
): Promise<unknown> {
  if (!tool.outputSchema) return error.message
  if (!tool.errorFunction) throw error
  return tool.errorFunction(runContext, error, details)
}

/** The stored form of a result, to be given back when the call is repeated. What is no plain data is lost then. */
function toStored(output: unknown): JsonObject {
  if (output === undefined) return {}
  try {
    const copy = JSON.parse(JSON.stringify(output)) as JsonValue
    return isDeepStrictEqual(copy, output) ? { output: copy } : { lost: true }
  } catch {
    return { lost: true }
  }
}
