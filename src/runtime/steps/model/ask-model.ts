import { placeOf } from '../../../core/queries.ts'
import type { Frame } from '../../../core/state.ts'
import type { ModelResponse } from '../../../ports/model.ts'
import { untilAborted } from '../../../ports/signals.ts'
import { AgentInvalid, messageOf } from '../../../protocol/errors/errors.ts'
import type { EventPlace, LivePart } from '../../../protocol/event.ts'
import type { Message } from '../../../protocol/message.ts'
import type { RunContext } from '../../../protocol/run-context.ts'
import type { AgentDefinition } from '../../definition/definition.ts'
import { enabledTools } from '../../definition/enabled.ts'
import { guardInput } from '../../definition/guardrails.ts'
import { viewForModel } from '../../definition/hooks.ts'
import { toOffer } from '../../definition/tool/tool.ts'
import { type Activation, LeaseLost } from '../../journal/activation.ts'
import { type BodyStarter, startBodies } from '../start-bodies.ts'
import { answerWithTools } from './answer-with-tools.ts'
import { discard, recordTripped } from './discard.ts'
import { type AnswerJudge, judgeAnswer, type Turn } from './judge-answer.ts'
import { askModel, usageOf } from './model-answer.ts'
import { awaitsModel, beginTurn, recordAnswer } from './turn.ts'

/** Dependencies of a model turn. */
export interface TurnParts extends AnswerJudge, BodyStarter {
  readonly activation: Activation
  readonly signal: AbortSignal
  /** Called when a model turn begins. This event is not stored. */
  readonly onTurn: ((turn: number, place: EventPlace) => void) | undefined
  /** Called with each part of a model's answer. */
  readonly onPart: ((heard: HeardPart) => void) | undefined
}

/** A part of a model's answer, with its turn and place. `whole` if the model does not stream. */
export interface HeardPart extends EventPlace {
  turn: number
  part: LivePart
  whole: boolean
}

/**
 * One model turn of a frame: call the model, check the answer, judge every call, and record all of it in one append. Allowed calls start with it.
 *
 * T1  Nothing of a turn is stored before all of it is judged. A turn that fails leaves only `model.discarded`, which records its cost.
 * T2  The append succeeds only if the frame still waits for this turn. Otherwise another process has moved the frame on, or a person rejected the
 *     call that the frame belongs to, and the loop decides again.
 * T3  The model is called under the lease, so two processes do not pay for the same turn.
 * T4  `stopped` ends a turn that runs beside others when one of them failed.
 */
export async function askModelTurn(parts: TurnParts, frame: Frame, stopped?: AbortSignal): Promise<void> {
  const { journal } = parts
  const signal = stopped ? AbortSignal.any([parts.signal, stopped]) : parts.signal
  if (await answerWithTools(parts, frame, signal)) return
  await parts.activation.acquire()
  // Another process may have moved the thread on before this one got the lease (T2).
  if (!awaitsModel(journal.state, frame)) return
  const begun = beginTurn(parts, frame, signal)
  const { agent, runContext } = begun
  // What is offered now is what may be called in this turn. Its verdicts are recorded, so nothing asks again.
  const turn: Turn = { ...begun, tools: await enabledTools(agent, { runContext, agent: frame.agent.id }) }
  const response = await ask(parts, turn)
  // Answers of many threads may come together, and each is a good deal of work: first to judge it, then to record it.
  await journal.store.turn?.()
  const discarded = async (error: unknown): Promise<never> => {
    await discard(parts, turn, usageOf(response))
    throw error
  }
  const { plan, error } = await judgeAnswer(parts, turn, response).catch(discarded)
  await journal.store.turn?.()
  const entries = await recordAnswer(parts, turn, plan).catch((failure: unknown) =>
    // After any other failure the append may have been stored, and with it the turn's usage.
    failure instanceof LeaseLost || signal.aborted ? discarded(failure) : Promise.reject(failure),
  )
  if (!entries) return discard(parts, turn, plan.usage)
  startBodies(parts, entries)
  if (error) throw error
}

async function ask(parts: TurnParts, turn: Turn): Promise<ModelResponse> {
  const { run, frame, agent, tools, signal, number, messages, runContext } = turn
  const place = placeOf(run, frame.key)
  parts.onTurn?.(number, place)
  const hook = { runContext, messages, turn: number }
  const guarded = { agent: frame.agent.id, input: unread(frame), ...hook }
  await guardInput(agent.inputGuardrails, guarded, (result) => void turn.guardrails.push(result)).catch(
    recordTripped(parts, turn),
  )
  const view = await viewForModel(agent, hook)
  const system = view.instructions ?? (await instructionsOf(agent, runContext))
  // A model call costs money even if nobody waits for the answer.
  signal.throwIfAborted()
  return untilAborted(
    askModel(
      agent,
      {
        ...(system === undefined ? {} : { instructions: system }),
        messages: view.messages ?? messages,
        tools: tools.map(toOffer),
        ...(agent.outputType ? { outputSchema: agent.outputType.jsonSchema } : {}),
        ...(agent.hosted.length > 0 ? { hostedTools: agent.hosted.map(({ server }) => server) } : {}),
        signal,
      },
      parts.onPart && ((part, whole) => parts.onPart?.({ ...place, turn: number, part, whole })),
    ),
    signal,
  )
}

/** The input that the frame's model has not read yet: all since the last answer, or what was queued during the run. */
function unread({ answered, messages, queued }: Frame): Message[] {
  if (answered) return [...queued]
  const last = messages.all.findLastIndex(({ role }) => role === 'assistant' || role === 'tool')
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
    throw new AgentInvalid(`The instructions of agent "${agent.name}" must be a string or undefined.`)
  return said
}
