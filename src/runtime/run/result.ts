import { lazyMembers } from '../../core/views/lazy-members.ts'
import type { GuardrailResult, Usage } from '../../protocol/entries/entry.ts'
import { HoldpointError } from '../../protocol/errors/errors.ts'
import type { Message } from '../../protocol/message.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { Ending } from '../loop/loop.ts'
import type { RunItem } from './run-items.ts'
import type { RunMoment } from './run-moment.ts'
import type { RunState } from './run-state.ts'

interface ResultBase<TOutput> {
  readonly threadId: string
  readonly runId: string
  /** The run as it stands: decide on it, turn it into text, run it again. */
  readonly state: RunState
  /** What waits for a person, in call order: also when the run failed or stopped while it waited. Fresh copies each time. */
  readonly interruptions: HitlRequest[]
  readonly usage: Usage
  /** The conversation as it was then, as the input of another run: calls that have no result yet are left out. */
  readonly history: Message[]
  /** What the run had added to the conversation by then, across pauses: answers, calls, results, and what waits for people. */
  readonly newItems: RunItem[]
  /** What the input guardrails of the run's agents returned by then, in order, across pauses; also of a guardrail that stopped the run. */
  readonly inputGuardrailResults: GuardrailResult[]
  /** The same of output guardrails. */
  readonly outputGuardrailResults: GuardrailResult[]
  /** The agent that answered last, or whose turn it is. */
  readonly lastAgent: AgentDefinition
  /** The model's last answer, as `outputType` makes it: a string unless the agent has one. Only set when the run completed. */
  readonly finalOutput: TOutput | undefined
  readonly error: HoldpointError | undefined
}

type Views = Pick<
  ResultBase<unknown>,
  'interruptions' | 'history' | 'newItems' | 'inputGuardrailResults' | 'outputGuardrailResults'
>

/** What one call of `run` came to. A failure is never shaped like success. */
export type RunResult<TOutput = string> =
  | (ResultBase<TOutput> & { readonly status: 'completed'; readonly finalOutput: TOutput; readonly error: undefined })
  /** Waits for people. */
  | (ResultBase<TOutput> & { readonly status: 'interrupted'; readonly error: undefined })
  | (ResultBase<TOutput> & { readonly status: 'aborted'; readonly error: undefined })
  /** Something went wrong; nothing was lost, and running the state again goes on. */
  | (ResultBase<TOutput> & { readonly status: 'failed'; readonly error: HoldpointError })
  /** This process stopped driving (its signal fired, or another took over); running the state again goes on. */
  | (ResultBase<TOutput> & { readonly status: 'incomplete'; readonly error: undefined })

const withViews = lazyMembers<RunMoment, Views>({
  interruptions: (moment) => moment.interruptions(),
  history: (moment) => moment.history(),
  newItems: (moment) => moment.newItems(),
  inputGuardrailResults: (moment) => moment.guardrails('input'),
  outputGuardrailResults: (moment) => moment.guardrails('output'),
})

/** Converts an ending to a result. What it shows is copied when it is read, so that a long conversation costs nothing before. */
export async function toRunResult(state: RunState, ending: Ending): Promise<RunResult<unknown>> {
  const moment = state.snapshot()
  moment.hand()
  const output = await outputOf(state, ending)
  const status = output.error ? 'failed' : statusOf(state, ending)
  const result = {
    status,
    threadId: state.threadId,
    runId: state.runId,
    state,
    usage: state.usage,
    finalOutput: output.value,
    error: ending.kind === 'failed' ? ending.error : output.error,
    lastAgent: state.lastAgent,
  }
  return withViews(result, moment) as RunResult<unknown>
}

/** The output of a completed run. A person may have answered in the model's place with what is not of the agent's `outputType`. */
async function outputOf(state: RunState, ending: Ending): Promise<{ value?: unknown; error?: HoldpointError }> {
  if (statusOf(state, ending) !== 'completed') return {}
  try {
    return { value: await state.readOutput() }
  } catch (error) {
    if (!HoldpointError.isInstance(error)) throw error
    return { error }
  }
}

function statusOf(state: RunState, ending: Ending): RunResult['status'] {
  switch (ending.kind) {
    case 'paused':
      return 'interrupted'
    case 'stopped':
    case 'overtaken':
      return 'incomplete'
    case 'failed':
      return 'failed'
    case 'settled':
      return state.status === 'aborted' ? 'aborted' : 'completed'
    default:
      return ending satisfies never
  }
}
