import type { Usage } from '../../protocol/entries/entry.ts'
import type { HoldpointError } from '../../protocol/errors/errors.ts'
import type { HitlRequest } from '../../protocol/request.ts'
import type { Ending } from '../loop/loop.ts'
import type { RunState } from './run-state.ts'

interface ResultBase {
  readonly threadId: string
  readonly runId: string
  /** The run as it stands: decide on it, turn it into text, run it again. */
  readonly state: RunState
  /** What waits for a person, in call order: also when the run failed or stopped while it waited. */
  readonly interruptions: HitlRequest[]
  readonly usage: Usage
  /** The model's last words; only set when the run completed. */
  readonly finalOutput: string | undefined
  readonly error: HoldpointError | undefined
}

/** What one call of `run` came to. A failure is never shaped like success. */
export type RunResult =
  | (ResultBase & { readonly status: 'completed'; readonly finalOutput: string; readonly error: undefined })
  /** Waits for people. */
  | (ResultBase & { readonly status: 'interrupted'; readonly error: undefined })
  | (ResultBase & { readonly status: 'aborted'; readonly error: undefined })
  /** Something went wrong; nothing was lost, and running the state again goes on. */
  | (ResultBase & { readonly status: 'failed'; readonly error: HoldpointError })
  /** This process stopped driving (its signal fired, or another took over); running the state again goes on. */
  | (ResultBase & { readonly status: 'incomplete'; readonly error: undefined })

/** Words an ending as a result. What waits is copied when somebody looks at it. */
export function toRunResult(state: RunState, ending: Ending): RunResult {
  const { interruptions, hand } = state.snapshot()
  hand()
  const status = statusOf(state, ending)
  let copies: HitlRequest[] | undefined
  const result = {
    status,
    threadId: state.threadId,
    runId: state.runId,
    state,
    usage: state.usage,
    finalOutput: status === 'completed' ? state.lastText : undefined,
    error: ending.kind === 'failed' ? ending.error : undefined,
    get interruptions() {
      const shown = interruptions()
      copies ??= shown
      return copies
    },
  }
  return result as RunResult
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
