import { openRun } from '../../core/open-run.ts'
import { type JudgedAnswer, planAnswer } from '../../core/plan/answer.ts'
import { type Frame, isInsideRejected, placeOf, shownMessages, type ThreadState } from '../../core/state.ts'
import type { ModelResponse } from '../../ports/model.ts'
import { untilAborted } from '../../ports/signals.ts'
import type { Entry, Usage } from '../../protocol/entries/entry.ts'
import { AgentInvalid, messageOf, ThreadBusy } from '../../protocol/errors/errors.ts'
import type { EventPlace, LivePart } from '../../protocol/event.ts'
import type { Message } from '../../protocol/message.ts'
import type { RunContext } from '../../protocol/run-context.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { guardInput } from '../definition/guardrails.ts'
import { viewForModel } from '../definition/hooks.ts'
import { toOffer } from '../definition/tool.ts'
import { agentOf, frameContext } from '../frames/frame-agents.ts'
import { type Activation, LeaseLost } from '../journal/activation.ts'
import { mayDropLease } from '../journal/may-drop-lease.ts'
import { type AnswerJudge, judgeAnswer, type Turn } from './judge-answer.ts'
import { askModel, usageOf } from './model-answer.ts'
import { type BodyStarter, startBodies } from './start-bodies.ts'

/** What a model turn needs. */
export interface TurnParts extends AnswerJudge, BodyStarter {
  readonly activation: Activation
  readonly signal: AbortSignal
  /** A model turn begins. It is the one event that is not stored. */
  readonly onTurn: ((turn: number, place: EventPlace) => void) | undefined
  /** A part of a model's answer came; `whole` if the model does not stream. */
  readonly onPart: ((heard: HeardPart) => void) | undefined
}

/** A part of a model's answer, and where it belongs. */
export interface HeardPart extends EventPlace {
  turn: number
  part: LivePart
  whole: boolean
}

/**
 * One model turn of a frame: ask, check, judge every call, and record all of it in one append. Free calls start with it.
 *
 * T1  Nothing of a turn is stored before all of it is judged: a turn that fails leaves only `model.discarded`, which counts what it cost.
 * T2  The append holds only if the frame still waits for this very turn. Otherwise somebody else has moved it on, or a person rejected the call
 *     that the frame is inside of, and the loop decides again.
 * T3  The model is asked under the lease, so two processes do not pay for the same turn.
 * T4  `stopped` ends a turn that runs beside others when one of them failed.
 */
export async function askModelTurn(parts: TurnParts, frame: Frame, stopped?: AbortSignal): Promise<void> {
  const { journal } = parts
  const signal = stopped ? AbortSignal.any([parts.signal, stopped]) : parts.signal
  await parts.activation.acquire()
  // Others may have moved the thread on before the lease was ours (T2).
  if (!awaitsModel(journal.state, frame)) return
  const run = openRun(journal.state)
  const agent = agentOf(parts.agent, frame)
  const turn: Turn = {
    ...{ run, frame, agent, signal },
    number: frame.turn + 1,
    read: frame.queued.length,
    messages: [...shownMessages(frame), ...frame.queued],
    runContext: frameContext(journal.state, run, frame.key),
  }
  const response = await ask(parts, turn)
  const discarded = async (error: unknown): Promise<never> => {
    await discard(parts, turn, usageOf(response))
    throw error
  }
  const { plan, error } = await judgeAnswer(parts, turn, response).catch(discarded)
  const entries = await record(parts, turn, plan).catch((failure: unknown) =>
    // After any other failure the append may have been stored, and the turn counted.
    failure instanceof LeaseLost || signal.aborted ? discarded(failure) : Promise.reject(failure),
  )
  if (!entries) return discard(parts, turn, plan.usage)
  startBodies(parts, entries)
  if (error) throw error
}

async function ask(parts: TurnParts, turn: Turn): Promise<ModelResponse> {
  const { run, frame, agent, signal, number, messages, runContext } = turn
  const place = placeOf(run, frame.key)
  parts.onTurn?.(number, place)
  const hook = { runContext, messages, turn: number }
  await guardInput(agent.inputGuardrails, { agent: frame.agent.id, input: unread(frame), ...hook })
  const view = await viewForModel(agent, hook)
  const system = view.instructions ?? (await instructionsOf(agent, runContext))
  // Asking costs money, even if nobody waits for the answer.
  signal.throwIfAborted()
  return untilAborted(
    askModel(
      agent,
      {
        ...(system === undefined ? {} : { instructions: system }),
        messages: view.messages ?? messages,
        tools: agent.toolset.map(toOffer),
        ...(agent.outputType ? { outputSchema: agent.outputType.jsonSchema } : {}),
        ...(agent.hosted.length > 0 ? { hostedTools: agent.hosted.map(({ server }) => server) } : {}),
        signal,
      },
      parts.onPart && ((part, whole) => parts.onPart?.({ ...place, turn: number, part, whole })),
    ),
    signal,
  )
}

/** Records a judged answer. `undefined` if somebody else has taken the turn. */
async function record(parts: TurnParts, turn: Turn, plan: JudgedAnswer): Promise<Entry[] | undefined> {
  const { activation, grants } = parts
  const { signal } = turn
  await activation.ensureMargin()
  return activation.write((state) => {
    // Somebody else may have ended the run, or answered this turn, while the model was thinking.
    if (!isStill(state, turn)) return undefined
    plan.grants = grants.known
    const { entries, grants: spent } = planAnswer(state, openRun(state), plan)
    signal.throwIfAborted()
    return { entries, grants: spent, drop: mayDropLease(state, entries) }
  }, grants)
}

/**
 * Counts an answer that was paid for and not taken: as this turn, or only its cost if somebody else drives or has taken the turn. If the store
 * cannot be reached, nothing is counted: the failure that led here is reported instead.
 */
async function discard(parts: TurnParts, turn: Turn, usage: Usage | undefined): Promise<void> {
  const { activation } = parts
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

/** Whether the frame still waits for this turn. */
function isStill(state: ThreadState, { run, frame, number }: Turn): boolean {
  return state.run?.id === run.id && awaitsModel(state, frame) && frame.turn === number - 1
}

/** The input that the model of a frame reads for the first time: all since the last answer, or what was queued in the middle of a run. */
function unread({ answered, messages, queued }: Frame): Message[] {
  if (answered) return [...queued]
  const last = messages.findLastIndex(({ role }) => role === 'assistant' || role === 'tool')
  return [...messages.slice(last + 1), ...queued]
}

async function instructionsOf(agent: AgentDefinition, runContext: RunContext): Promise<string | undefined> {
  const { instructions } = agent
  if (typeof instructions !== 'function') return instructions
  let said: unknown
  try {
    said = await instructions(runContext)
  } catch (error) {
    throw new AgentInvalid(`The instructions of agent "${agent.name}" threw: ${messageOf(error)}`)
  }
  if (said !== undefined && typeof said !== 'string')
    throw new AgentInvalid(`The instructions of agent "${agent.name}" returned no string.`)
  return said
}

/** Whether a frame still waits for its model. Frames are folded in place: the same object is the same frame of the same run. */
function awaitsModel(state: ThreadState, frame: Frame): boolean {
  const { run } = state
  if (run?.status !== 'open' || isInsideRejected(state, frame.key)) return false
  return run.frames.get(frame.key) === frame && frame.calls.length === 0
}
