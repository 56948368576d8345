import { isDeepStrictEqual } from 'node:util'
import type { ToolCall } from '@langchain/core/messages/tool'
import type { Command } from '@langchain/langgraph'
import type { ToolMessage } from 'langchain'
import { callProblem, type ForeignCall, HoldpointNotReleased, OutcomeUnknown, pendingRequest } from '../../gate.ts'
import type { JsonObject } from '../../index.ts'
import { InputInvalid } from '../../ports.ts'
import { askPeople, wasAsked } from './ask.ts'
import { foreignCall, type Hooked, lastAnswer, openCalls, reviewOf } from './calls.ts'
import { checkOptions, type HoldpointMiddleware, type HoldpointMiddlewareOptions } from './options.ts'
import { loadPeers } from './peers.ts'
import { fromStored, type Stored, toolMessage, toStored } from './results.ts'

/**
 * Puts a gate under an agent of LangChain, in place of `humanInTheLoopMiddleware`: held calls stop the graph, people decide in the inbox or by resuming it,
 * and each released call runs once. Put it last in `middleware`, so that nothing changes a call after it was released.
 */
export function holdpointMiddleware(options: HoldpointMiddlewareOptions): HoldpointMiddleware {
  checkOptions(options)
  const hooks = {
    name: 'HoldpointMiddleware',
    afterModel: (state: Hooked['state'], runtime: Hooked['runtime']) => judgeAnswer({ options, state, runtime }),
    wrapToolCall: (request: Wrapped, handler: Handler) => runTool(options, request, handler),
  }
  return hooks as unknown as HoldpointMiddleware
}

interface Wrapped {
  toolCall: ToolCall
  state: Hooked['state']
  runtime: Hooked['runtime']
}

type Handler = (request: Wrapped) => Promise<ToolMessage | Command> | ToolMessage | Command

/** Judges all calls of the model's message before any of them runs, and asks people about them. */
async function judgeAnswer(hooked: Hooked): Promise<undefined> {
  const { gate, decisions = 'batch' } = hooked.options
  const answer = lastAnswer(hooked.state.messages)
  const open = answer ? openCalls(hooked, answer) : []
  const known = await Promise.all(
    open.map(async (toolCall) => ({ toolCall, call: await foreignCall(hooked, toolCall) })),
  )
  // What cannot be judged is refused where it would run.
  const judged = known.filter(({ call }) => callProblem(call) === undefined)
  if (judged.length === 0) return
  const calls = judged.map(({ call }) => call)
  const asking = { hooked, task: taskOf(hooked, calls), calls, rounds: 0 }
  // What was judged is not judged again: `when` and `description` are evaluated once.
  if (!(await wasAsked(asking))) {
    await gate.judge(await Promise.all(judged.map(({ call, toolCall }) => reviewedCall(hooked, call, toolCall))))
  }
  if (decisions === 'batch') await askPeople(asking)
}

/** LangGraph's name of the task that runs the hook. It is the same in each process that resumes from one checkpoint, and another one after a fork. */
function taskOf({ runtime }: Hooked, calls: readonly ForeignCall[]): string {
  const name = runtime.configurable?.checkpoint_ns
  return JSON.stringify([typeof name === 'string' ? name : '', ...calls.map(({ callId }) => callId ?? '')])
}

/** A call with what `interruptOn` says of it, unless it was judged before. */
async function reviewedCall(hooked: Hooked, call: ForeignCall, toolCall: ToolCall): Promise<ForeignCall> {
  const { status } = await hooked.options.gate.state(call)
  const hostReview = status === 'refused' ? await reviewOf(hooked, toolCall) : undefined
  return hostReview ? { ...call, context: { ...call.context, hostReview: hostReview as JsonObject } } : call
}

/** Runs a released call, once. What the gate still holds is asked about here, in an interrupt of its own. */
async function runTool(
  options: HoldpointMiddlewareOptions,
  request: Wrapped,
  handler: Handler,
): Promise<ToolMessage | Command> {
  const { toolCall, state, runtime } = request
  if ((options.ungated ?? []).includes(toolCall.name)) return handler(request)
  const hooked = { options, state, runtime }
  const call = await foreignCall(hooked, toolCall)
  const problem = callProblem(call)
  if (problem !== undefined) return toolMessage(toolCall, { content: `Not run: ${problem}`, status: 'error' })
  const asking = { hooked, task: taskOf(hooked, [call]), calls: [call], rounds: 0 }
  for (;;) {
    await askPeople(asking)
    const done = await attempt({ hooked, call }, request, handler)
    if (done) return done
  }
}

/** Executes a call. `undefined`: people have to be asked first. */
async function attempt(
  { hooked, call }: { hooked: Hooked; call: ForeignCall },
  request: Wrapped,
  handler: Handler,
): Promise<ToolMessage | Command | undefined> {
  const { gate } = hooked.options
  const { toolCall } = request
  let live: ToolMessage | Command | undefined
  try {
    const stored = await gate.execute(call, async (args) => {
      live = await body(request, args, handler)
      return toStored(live) as never
    })
    return live ?? (await fromStored(stored as Stored, toolCall))
  } catch (error) {
    if (!(error instanceof HoldpointNotReleased || error instanceof OutcomeUnknown))
      return failure({ hooked, call }, toolCall, error)
    const now = await gate.wait(call, { timeoutSeconds: 0 })
    if (pendingRequest(now)) return undefined
    if (now.status !== 'refused') throw error
    return toolMessage(toolCall, { content: now.message, status: now.isError ? 'error' : 'success' })
  }
}

/** What the model gets of a call that failed, now or when it ran: LangGraph would end the run with an exception of a middleware. */
async function failure(
  { hooked, call }: { hooked: Hooked; call: ForeignCall },
  toolCall: ToolCall,
  error: unknown,
): Promise<ToolMessage> {
  const { isGraphBubbleUp } = await loadPeers()
  if (isGraphBubbleUp(error) || error instanceof InputInvalid) throw error
  const ended = await hooked.options.gate.state(call)
  if (ended.status !== 'finished' || !ended.isError) throw error
  return toolMessage(toolCall, { content: ended.result, status: 'error' })
}

/**
 * The tool itself. If a person changed the arguments, the model is told: its own message still has the old ones. LangChain stops waiting for a tool when the
 * run is cancelled, and the tool goes on: nobody knows how it ended.
 */
async function body(request: Wrapped, args: JsonObject, handler: Handler): Promise<ToolMessage | Command> {
  const { toolCall } = request
  const isEdited = !isDeepStrictEqual(args, toolCall.args)
  try {
    const result = await handler({ ...request, toolCall: { ...toolCall, args } })
    if (isEdited && 'content' in result && typeof result.content === 'string')
      result.content = `A person changed the arguments to ${JSON.stringify(args)}. Result: ${result.content}`
    return result
  } catch (error) {
    const { isGraphInterrupt } = await loadPeers()
    if (request.runtime.signal?.aborted)
      throw new OutcomeUnknown(`The run was cancelled while ${toolCall.name} was running.`)
    if (!isGraphInterrupt(error)) throw error
    throw new InputInvalid(`${toolCall.name} calls interrupt() itself: name it in ungated of holdpointMiddleware.`)
  }
}
