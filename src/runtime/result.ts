import type { Usage } from '../protocol/entry.ts'
import type { HoldpointError } from '../protocol/errors.ts'
import type { HitlRequest } from '../protocol/request.ts'
import type { Ending } from './drive.ts'
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
  const { interruptions } = state.snapshot()
  const base = {
    threadId: state.threadId,
    runId: state.runId,
    state,
    usage: state.usage,
    finalOutput: undefined,
    error: undefined,
  }
  let copies: HitlRequest[] | undefined
  return Object.defineProperty(worded(base, state, ending), 'interruptions', {
    enumerable: true,
    get: () => {
      copies ??= interruptions()
      return copies
    },
  }) as RunResult
}

function worded(base: Omit<ResultBase, 'interruptions'>, state: RunState, ending: Ending): Unlisted<RunResult> {
  switch (ending.kind) {
    case 'paused':
      return { ...base, status: 'interrupted', error: undefined }
    case 'stopped':
    case 'overtaken':
      return { ...base, status: 'incomplete', error: undefined }
    case 'failed':
      return { ...base, status: 'failed', error: ending.error }
    case 'settled':
      if (state.status === 'aborted') return { ...base, status: 'aborted', error: undefined }
      return { ...base, status: 'completed', finalOutput: state.lastText, error: undefined }
    default:
      return ending satisfies never
  }
}

type Unlisted<T> = T extends unknown ? Omit<T, 'interruptions'> : never
