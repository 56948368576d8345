import { type JudgedAnswer, type JudgedCall, planAnswer } from '../core/plan/answer.ts'
import { type Frame, isRoot, placeOf, type Run, sameCallKey, shownMessages, type ThreadState } from '../core/state.ts'
import { untilAborted } from '../ports/signals.ts'
import type { Entry } from '../protocol/entry.ts'
import { AgentInvalid, MaxRejectionsExceeded, messageOf } from '../protocol/errors.ts'
import { type Message, textOf } from '../protocol/message.ts'
import type { RunContext } from '../protocol/run-context.ts'
import type { Agent } from './agent.ts'
import { startBodies } from './calls.ts'
import { agentOf, frameContext, policiesOver } from './cast.ts'
import { type Driver, formatRefusal, openRun } from './driver.ts'
import { frameResult } from './frames.ts'
import { guardInput, guardOutput } from './guardrails.ts'
import { gateFor, viewForModel } from './hooks.ts'
import { judgeAll } from './judge.ts'
import type { Gate } from './middleware.ts'
import { askModel, type ModelAnswer, toAnswer } from './model-answer.ts'
import { toOffer } from './tool.ts'
import { words } from './words.ts'

/**
 * One model turn of a frame: ask, check, judge every call, and record all of it in one append. Free calls start with it. `stopped` ends a turn
 * that runs beside others when one of them failed.
 */
export async function modelTurn(driver: Driver, frame: Frame, stopped?: AbortSignal): Promise<void> {
  const { journal, activation, grants } = driver
  const signal = stopped ? AbortSignal.any([driver.signal, stopped]) : driver.signal
  await activation.acquire()
  // Until the lease was ours others may have moved the thread on, even to its end: then the loop decides again.
  if (!awaitsModel(journal.state, frame)) return
  const run = openRun(journal.state)
  const agent = agentOf(driver.agent, frame)
  const runContext = frameContext(journal.state, run, frame.key)
  const place = placeOf(run, frame.key)
  driver.onTurn?.(frame.turn + 1, place)
  const read = frame.queued.length
  const turn = frame.turn
  const hook = { runContext, messages: [...shownMessages(frame), ...frame.queued], turn: turn + 1 }
  await guardInput(agent.inputGuardrails, { agent: frame.agent.id, input: unread(frame), ...hook })
  const view = await viewForModel(agent, hook)
  const system = view.instructions ?? (await wordInstructions(agent, runContext))
  const response = await untilAborted(
    askModel(
      agent.model,
      {
        ...(system === undefined ? {} : { instructions: system }),
        messages: view.messages ?? hook.messages,
        tools: agent.toolset.map(toOffer),
        ...(agent.hosted.length > 0 ? { hostedTools: agent.hosted.map(({ server }) => server) } : {}),
        signal,
      },
      driver.onPart && ((part, whole) => driver.onPart?.({ ...place, turn: turn + 1, part, whole })),
    ),
    signal,
  )
  const answer = toAnswer(response, driver.newId, agent)
  const judged = await judgeAll(
    {
      agent,
      agentId: frame.agent.id,
      policies: policiesOver(driver.agent, run, frame),
      runContext,
      messages: shownMessages(frame),
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
    number: turn + 1,
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
    read,
    definitions: judged.definitions,
    calls: judged.calls.map((call, index) => withRejections(run, answer.message.toolCalls?.[index]?.name ?? '', call)),
    newId: driver.newId,
    refusals: await grantRefusals(driver, agent, answer, runContext),
    grants: grants.known,
    now: journal.now(),
  }
  await activation.ensureMargin()
  const entries = await activation.write((state) => {
    // Somebody else may have ended the run, or answered this turn, while the model was thinking.
    if (state.run?.status !== 'open' || !awaitsModel(state, frame) || frame.turn !== turn) return undefined
    plan.grants = grants.known
    const { entries, grants: spent } = planAnswer(state, state.run, plan)
    signal.throwIfAborted()
    return { entries, grants: spent, drop: frame.key === run.id && isLast(entries) }
  }, grants)
  if (entries) startBodies(driver, entries)
  if (entries && ended?.error) throw ended.error
}

/** What the model of a frame is about to read for the first time: at its beginning all input since the last answer, later what was added. */
function unread({ turn, messages, queued }: Frame): Message[] {
  if (turn > 0) return [...queued]
  const last = messages.findLastIndex(({ role }) => role === 'assistant' || role === 'tool')
  return [...messages.slice(last + 1), ...queued]
}

async function wordInstructions(agent: Agent, runContext: RunContext): Promise<string | undefined> {
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
  agent: Agent,
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
