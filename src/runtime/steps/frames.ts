import { soundHistory } from '../../core/history.ts'
import type { Start } from '../../core/plan/calls.ts'
import { type AgentChange, planFrameEnd } from '../../core/plan/frames.ts'
import { editedResult, errorResult, textResult } from '../../core/plan/results.ts'
import { type Call, type Frame, findCall, isSettled, type Release, shownMessages } from '../../core/state.ts'
import {
  AgentInvalid,
  GuardrailTripped,
  HoldpointError,
  messageOf,
  PolicyFailed,
  ToolInvalid,
} from '../../protocol/errors.ts'
import { type CallKey, frameOf } from '../../protocol/ids.ts'
import { jsonProblem } from '../../protocol/json.ts'
import { cloneMessages, type Message, message, type ToolResult, textOf } from '../../protocol/message.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { type GuardedCall, guardCall, guardResult } from '../definition/guardrails.ts'
import { type HookRefusal, refusalBefore, resultAfter } from '../definition/hooks.ts'
import type { ToolHook } from '../definition/middleware.ts'
import { words } from '../definition/model-messages.ts'
import { type Driver, openRun } from '../loop/driver.ts'
import { agentOf, callContext, frameContext, ownerOf } from './frame-agents.ts'
import { boundedResult } from './size-limits.ts'

/** How a released call starts, or why it does not. A nested run's input is made here, before the append in which it begins. */
export async function prepareStart(
  driver: Driver,
  call: Call,
  release: Release,
): Promise<{ start: Start } | { refuse: string }> {
  const owner = ownerOf(driver.agent, call)
  const { special, resumable, inputGuardrails } = owner.requireTool(release.tool)
  const said = inputGuardrails.length > 0 ? await guardCall(inputGuardrails, guarded(driver, call, release)) : undefined
  if (said !== undefined) return { refuse: said }
  if (special?.kind !== 'agent') return { start: { resumable } }
  const refused = owner.middleware.length > 0 ? await hookedBefore(driver, owner, call, release) : undefined
  if (refused?.error) throw refused.error
  if (refused) return { refuse: words.denied(refused.text) }
  const { graph } = driver.agent
  const agent = graph.refOf(special.agent)
  return {
    start: { resumable, frame: { agent, input: await special.toInput(release), maxTurns: special.maxTurns } },
  }
}

/** As in a body, what a hook throws is that call's failure; what it misuses is the developer's. */
async function hookedBefore(
  driver: Driver,
  owner: AgentDefinition,
  call: Call,
  release: Release,
): Promise<HookRefusal | undefined> {
  const hook = { ...hookOf(driver, call, release), hold: cannotHold(release.tool) }
  try {
    return await refusalBefore(owner, hook)
  } catch (error) {
    if (HoldpointError.isInstance(error)) throw error
    return { text: words.failed(messageOf(error)) }
  }
}

/** An agent that is called as a tool has no body that could wait. */
function cannotHold(tool: string): () => Promise<never> {
  const why = `beforeTool cannot hold ${tool}, which is an agent: gate it with needsApproval or a policy`
  return () => Promise.reject(new PolicyFailed(tool, why))
}

/** What the call that opened a frame comes to. With an error if a guardrail stops the run: that the call is over is recorded first. */
export interface FrameResult {
  result: ToolResult
  error?: HoldpointError
}

/** What the call that opened a frame comes to, if the frame ends with this message. `undefined` for the root, which has none. */
export async function frameResult(driver: Driver, frame: Frame, last: Message): Promise<FrameResult | undefined> {
  const call = openingCall(driver, frame)
  if (call?.phase.at !== 'started') return undefined
  const { release } = call.phase
  const owner = ownerOf(driver.agent, call)
  const { special, outputGuardrails } = owner.requireTool(release.tool)
  // An answer that waited behind a gate is in the conversation already.
  const messages = frame.messages.at(-1) === last ? frame.messages : [...frame.messages, last]
  const given = textResult(await extract(special, release.tool, textOf(last.content), messages))
  const noted = (result: ToolResult): ToolResult =>
    boundedResult(owner, driver.journal.store, release.edited ? editedResult(result, release) : result)
  let instead: string | undefined
  try {
    instead = await guardResult(outputGuardrails, { ...guarded(driver, call, release), result: given })
  } catch (error) {
    if (!(error instanceof GuardrailTripped)) throw error
    return { result: noted(errorResult(words.withheld(release.tool))), error }
  }
  const result = noted(instead === undefined ? given : errorResult(instead))
  if (owner.middleware.length === 0) return { result }
  const hooked = await hookedAfter(driver, owner, call, { release, result })
  return { ...hooked, result: boundedResult(owner, driver.journal.store, hooked.result) }
}

async function hookedAfter(
  driver: Driver,
  owner: AgentDefinition,
  call: Call,
  { release, result }: { release: Release; result: ToolResult },
): Promise<FrameResult> {
  try {
    return await resultAfter(owner, hookOf(driver, call, release), result)
  } catch (error) {
    return { result: errorResult(words.failed(messageOf(error))) }
  }
}

async function extract(
  special: ReturnType<ReturnType<typeof ownerOf>['requireTool']>['special'],
  tool: string,
  finalOutput: string,
  messages: readonly Message[],
): Promise<string> {
  if (special?.kind !== 'agent' || !special.output) return finalOutput
  let text: unknown
  try {
    text = await special.output({ finalOutput, messages: cloneMessages(messages) })
  } catch (error) {
    throw new ToolInvalid(tool, `its customOutputExtractor threw: ${messageOf(error)}`, error)
  }
  if (typeof text !== 'string') throw new ToolInvalid(tool, 'its customOutputExtractor must return a string')
  return text
}

/** Ends a nested run that asked its model as often as it may: the caller's model is told. */
export async function stopFrame(driver: Driver, frame: Frame, maxTurns: number): Promise<void> {
  const result = errorResult(words.agentStopped(agentOf(driver.agent, frame).name, maxTurns))
  await driver.activation.write((state) => {
    const { run } = state
    if (run?.status !== 'open' || run.frames.get(frame.key) !== frame || frame.calls.length > 0) return undefined
    return { entries: planFrameEnd(state, run, frame, result) }
  })
}

/** Who goes on after a hand-off's body came to its end, and what they are shown. */
export async function changeOf(driver: Driver, key: CallKey, result: ToolResult): Promise<AgentChange | undefined> {
  const { state } = driver.journal
  const call = findCall(state, key)
  const frame = state.run?.frames.get(frameOf(key))
  if (!call?.handoff || call.phase.at !== 'started' || !frame || result.isError) return undefined
  const { special } = ownerOf(driver.agent, call).requireTool(call.phase.release.tool)
  if (special?.kind !== 'handoff') return undefined
  const agent = driver.agent.graph.refOf(special.agent)
  if (!special.inputFilter) return { agent }
  const results = frame.calls.map((one) => resultMessage(one, one.key === key ? result : undefined))
  const of = [...frame.messages, ...results]
  const seen = [...shownMessages(frame), ...results]
  const runContext = callContext(state, openRun(state), key)
  return {
    agent,
    filtered: { of, shown: checkShown(await special.inputFilter({ messages: cloneMessages(seen), runContext })) },
  }
}

function resultMessage(call: Call, own: ToolResult | undefined): Message {
  const result = own ?? (isSettled(call) ? call.phase.result : errorResult(''))
  return { role: 'tool', toolCallId: call.id, toolName: call.tool, ...result }
}

function checkShown(shown: unknown): Message[] {
  const problem = jsonProblem(shown, 'messages')
  const parsed = problem ? undefined : message.array().safeParse(shown)
  if (!parsed?.success)
    throw new AgentInvalid(`An inputFilter returned no list of messages${problem ? `: ${problem}` : ''}.`)
  // A filter that cuts between a call and its result must not show half of the two: providers refuse that.
  const sound = soundHistory(cloneMessages(parsed.data as Message[]))
  if (sound.length === 0) throw new AgentInvalid('An inputFilter left the next agent nothing to read.')
  return sound
}

function openingCall(driver: Driver, frame: Frame): Call | undefined {
  const { run } = driver.journal.state
  return run && frame.key !== run.id ? findCall(driver.journal.state, frame.key as CallKey) : undefined
}

function guarded(driver: Driver, call: Call, release: Release): GuardedCall {
  return { agent: call.agent.id, ...hookOf(driver, call, release) }
}

function hookOf(driver: Driver, call: Call, release: Release): ToolHook {
  const { state } = driver.journal
  const runContext = frameContext(state, openRun(state), frameOf(call.key))
  return { runContext, toolName: release.tool, toolCallId: call.id, args: release.args }
}
