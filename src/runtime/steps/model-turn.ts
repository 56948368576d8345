import { type JudgedAnswer, type JudgedCall, planAnswer } from '../../core/plan/answer.ts'
import {
  type Frame,
  isRoot,
  placeOf,
  type Run,
  sameCallKey,
  shownMessages,
  type ThreadState,
} from '../../core/state.ts'
import { addUsage } from '../../core/usage.ts'
import type { ModelResponse } from '../../ports/model.ts'
import { untilAborted } from '../../ports/signals.ts'
import type { Entry, Usage } from '../../protocol/entry.ts'
import {
  AgentInvalid,
  type HoldpointError,
  MaxRejectionsExceeded,
  messageOf,
  ThreadBusy,
} from '../../protocol/errors.ts'
import { type Message, textOf } from '../../protocol/message.ts'
import type { RunContext } from '../../protocol/run-context.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { guardInput, guardOutput } from '../definition/guardrails.ts'
import { gateFor, viewForModel } from '../definition/hooks.ts'
import type { Gate } from '../definition/middleware.ts'
import { words } from '../definition/model-messages.ts'
import { toOffer } from '../definition/tool.ts'
import { LeaseLost } from '../journal/activation.ts'
import { type Driver, formatRefusal, openRun } from '../loop/driver.ts'
import { startBodies } from './calls.ts'
import { agentOf, frameContext, policiesOver } from './frame-agents.ts'
import { frameResult } from './frames.ts'
import { judgeAll } from './judge.ts'
import { askModel, type ModelAnswer, toAnswer, usageOf } from './model-answer.ts'

/**
 * One model turn of a frame: ask, check, judge every call, and record all of it in one append. Free calls start with it. `stopped` ends a turn
 * that runs beside others when one of them failed.
 */
export async function modelTurn(driver: Driver, frame: Frame, stopped?: AbortSignal): Promise<void> {
  const { journal } = driver
  const signal = stopped ? AbortSignal.any([driver.signal, stopped]) : driver.signal
  await driver.activation.acquire()
  // Until the lease was ours others may have moved the thread on, even to its end: then the loop decides again.
  if (!awaitsModel(journal.state, frame)) return
  const run = openRun(journal.state)
  const agent = agentOf(driver.agent, frame)
  const turn: Turn = {
    ...{ run, frame, agent, signal },
    number: frame.turn + 1,
    read: frame.queued.length,
    messages: [...shownMessages(frame), ...frame.queued],
    runContext: frameContext(journal.state, run, frame.key),
  }
  const response = await ask(driver, turn)
  const discarded = async (error: unknown): Promise<never> => {
    await discard(driver, turn, usageOf(response))
    throw error
  }
  const { plan, error } = await judge(driver, turn, response).catch(discarded)
  const entries = await record(driver, turn, plan).catch((failure: unknown) =>
    // Of an append that failed otherwise it is not known whether it counts already.
    failure instanceof LeaseLost || signal.aborted ? discarded(failure) : Promise.reject(failure),
  )
  if (!entries) return discard(driver, turn, plan.usage)
  startBodies(driver, entries)
  if (error) throw error
}

/** One turn, as it began. */
interface Turn {
  readonly run: Run
  readonly frame: Frame
  readonly agent: AgentDefinition
  readonly signal: AbortSignal
  readonly number: number
  /** How many added inputs are read in it. */
  readonly read: number
  readonly messages: Message[]
  readonly runContext: RunContext
}

async function ask(driver: Driver, turn: Turn): Promise<ModelResponse> {
  const { run, frame, agent, signal, number, messages, runContext } = turn
  const place = placeOf(run, frame.key)
  driver.onTurn?.(number, place)
  const hook = { runContext, messages, turn: number }
  await guardInput(agent.inputGuardrails, { agent: frame.agent.id, input: unread(frame), ...hook })
  const view = await viewForModel(agent, hook)
  const system = view.instructions ?? (await wordInstructions(agent, runContext))
  // Asking costs, also if nobody waits for the answer.
  signal.throwIfAborted()
  return untilAborted(
    askModel(
      agent,
      {
        ...(system === undefined ? {} : { instructions: system }),
        messages: view.messages ?? messages,
        tools: agent.toolset.map(toOffer),
        ...(agent.hosted.length > 0 ? { hostedTools: agent.hosted.map(({ server }) => server) } : {}),
        signal,
      },
      driver.onPart && ((part, whole) => driver.onPart?.({ ...place, turn: number, part, whole })),
    ),
    signal,
  )
}

/** Checks and judges an answer. Rules see it counted. The error is for after it was recorded. */
async function judge(
  driver: Driver,
  turn: Turn,
  response: ModelResponse,
): Promise<{ plan: JudgedAnswer; error?: HoldpointError }> {
  const { journal, grants } = driver
  const { run, frame, agent } = turn
  const answer = toAnswer(response, driver.newId, agent)
  const runContext = { ...turn.runContext, usage: addUsage(turn.runContext.usage, answer.usage) }
  const hook = { runContext, messages: turn.messages, turn: turn.number }
  const judged = await judgeAll(
    {
      agent,
      agentId: frame.agent.id,
      policies: policiesOver(driver.agent, run, frame),
      runContext,
      threadId: journal.state.threadId,
      messages: shownMessages(frame),
      message: answer.message,
      facts: driver.factsContext(),
      guardsFirst: run.options.preApprovalInputGuardrails ?? false,
      now: journal.now(),
      defaultTimeoutSeconds: driver.channel?.defaultTimeoutSeconds ?? null,
      formatNotFound: (toolName, callId, defaultMessage) =>
        formatRefusal(driver, agent, { kind: 'tool_not_found', toolName, callId, defaultMessage, runContext }),
    },
    answer,
  )
  if (!answer.message.toolCalls?.length)
    await guardOutput(agent.outputGuardrails, {
      agent: frame.agent.id,
      output: textOf(answer.message.content),
      ...hook,
    })
  const gate = await gateFor(agent, hook, answer.message)
  const tools = isReviewed(judged.calls) ? (answer.message.toolCalls ?? []).map(({ name }) => name) : []
  const looking = grants.forTurn(journal.state, run, {
    number: turn.number,
    agent: frame.agent.id,
    tools,
    alone: isRoot(run, frame),
  })
  if (looking !== undefined) await looking
  // What people still have to let through ends nothing yet.
  const isLastWord = !answer.message.toolCalls?.length && !gate
  const ended = isLastWord ? await frameResult(driver, frame, answer.message) : undefined
  const plan: JudgedAnswer = {
    ...(gate ? { gate: askGate(gate, journal.now()) } : {}),
    ...(ended ? { result: ended.result } : {}),
    frame,
    message: answer.message,
    ...(answer.usage ? { usage: answer.usage } : {}),
    read: turn.read,
    definitions: judged.definitions,
    calls: judged.calls.map((call, index) => withRejections(run, answer.message.toolCalls?.[index]?.name ?? '', call)),
    newId: driver.newId,
    refusals: await grantRefusals(driver, agent, answer, runContext),
    grants: grants.known,
    now: journal.now(),
  }
  return { plan, ...(ended?.error ? { error: ended.error } : {}) }
}

/** `undefined`: the turn is somebody else's by now. */
async function record(driver: Driver, turn: Turn, plan: JudgedAnswer): Promise<Entry[] | undefined> {
  const { activation, grants } = driver
  const { run, frame, signal } = turn
  await activation.ensureMargin()
  return activation.write((state) => {
    // Somebody else may have ended the run, or answered this turn, while the model was thinking.
    if (!isStill(state, turn)) return undefined
    plan.grants = grants.known
    const { entries, grants: spent } = planAnswer(state, openRun(state), plan)
    signal.throwIfAborted()
    return { entries, grants: spent, drop: frame.key === run.id && isLast(entries) }
  }, grants)
}

/**
 * Counts an answer that was paid for and not taken: as this turn, unless somebody else drives or has that turn; then only what it cost. What
 * cannot be stored cannot be counted: the failure that it is about says more.
 */
async function discard(driver: Driver, turn: Turn, usage: Usage | undefined): Promise<void> {
  const { activation } = driver
  const { run, frame, number } = turn
  const discarded = { v: 1, type: 'model.discarded', run: run.id, ...(usage ? { usage } : {}) } as const
  const counted = { ...discarded, turn: { frame: frame.key, number } }
  try {
    const written = await activation
      .write((state) => (isStill(state, turn) ? { entries: [counted] } : undefined))
      .catch((error: unknown) => {
        if (error instanceof LeaseLost || error instanceof ThreadBusy) return undefined
        throw error
      })
    if (written) return
    await activation.report(({ run: now }) =>
      now?.id === run.id && now.status === 'open' ? { entries: [discarded] } : undefined,
    )
  } catch {
    // The store is out of reach.
  }
}

/** Whether a turn is still to be had. */
function isStill(state: ThreadState, { run, frame, number }: Turn): boolean {
  return state.run?.id === run.id && awaitsModel(state, frame) && frame.turn === number - 1
}

/** What the model of a frame is about to read for the first time: at its beginning all input since the last answer, later what was added. */
function unread({ answered, messages, queued }: Frame): Message[] {
  if (answered) return [...queued]
  const last = messages.findLastIndex(({ role }) => role === 'assistant' || role === 'tool')
  return [...messages.slice(last + 1), ...queued]
}

async function wordInstructions(agent: AgentDefinition, runContext: RunContext): Promise<string | undefined> {
  const { instructions } = agent
  if (typeof instructions !== 'function') return instructions
  let said: unknown
  try {
    said = await instructions(runContext)
  } catch (error) {
    throw new AgentInvalid(`The instructions of agent "${agent.name}" threw: ${messageOf(error)}`)
  }
  if (said !== undefined && typeof said !== 'string')
    throw new AgentInvalid(`The instructions of agent "${agent.name}" returned no text.`)
  return said
}

function isReviewed(calls: readonly JudgedCall[]): boolean {
  return calls.some(({ verdict }) => verdict.kind === 'review')
}

/** Whether the model is still what a frame waits for. */
function awaitsModel({ run }: ThreadState, frame: Frame): boolean {
  return run?.status === 'open' && run.frames.get(frame.key) === frame && frame.calls.length === 0
}

/** A gate as a request asks it. */
function askGate({ timeoutSeconds, allowedDecisions, ...gate }: Gate, now: number): NonNullable<JudgedAnswer['gate']> {
  return {
    ...gate,
    allowedDecisions: [...(allowedDecisions ?? (['approve', 'reject', 'respond'] as const))],
    ...(timeoutSeconds === undefined ? {} : { expiresAt: now + timeoutSeconds * 1000 }),
  }
}

/** A call that people keep rejecting ends the turn, or says so to whoever is asked next. */
function withRejections(run: Run, tool: string, call: JudgedCall): JudgedCall {
  const { maxRejections } = run.options
  if (!maxRejections || 'refusal' in call || call.verdict.kind !== 'review') return call
  if ((run.rejections.get(sameCallKey(tool, call.args)) ?? 0) < maxRejections.limit) return call
  if (maxRejections.action === 'end') throw new MaxRejectionsExceeded(tool, maxRejections.limit)
  return { ...call, ask: { ...call.ask, reason: 'rejected_before', risk: 'high' } }
}

/** What each call's result would be if a standing rejection covers it. */
async function grantRefusals(
  driver: Driver,
  agent: AgentDefinition,
  answer: ModelAnswer,
  runContext: RunContext,
): Promise<string[]> {
  if (!driver.grants.known.some(({ grant }) => grant.effect === 'deny')) return []
  return Promise.all(
    (answer.message.toolCalls ?? []).map((call) =>
      formatRefusal(driver, agent, {
        kind: 'approval_rejected',
        runContext,
        toolName: call.name,
        callId: call.id,
        defaultMessage: words.rejected(call.name),
      }),
    ),
  )
}

/** Whether nothing is left to drive: the run is over, or only people can move it. */
function isLast(entries: readonly Entry[]): boolean {
  if (entries.some((entry) => entry.type === 'run.settled')) return true
  return (
    entries.some((entry) => entry.type === 'request.opened') && !entries.some((entry) => entry.type === 'call.started')
  )
}
