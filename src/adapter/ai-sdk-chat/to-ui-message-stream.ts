import { type HitlRequest, HoldpointError, RunState, type StreamedRunResult } from '../../index.ts'
import { InputInvalid } from '../../ports.ts'
import type { UiMessageChunk } from './chunk.ts'
import { Projection, type StoredRun } from './projection.ts'
import { stepsOf } from './steps.ts'

/** Options of `toUIMessageStream`. */
export interface UiMessageStreamOptions {
  /** The id of the message. Default: the id of the run, so that a resumed run continues its message. */
  messageId?: string
}

/**
 * A run as the UI message stream of the AI SDK, for `createUIMessageStreamResponse`. A streamed run is followed from where it was resumed, which is what a
 * `useChat` page expects that has the message so far. A state is the whole message. Cancelling the stream does not stop the run.
 */
export function toUIMessageStream(
  run: StreamedRunResult<unknown> | RunState,
  options: UiMessageStreamOptions = {},
): ReadableStream<UiMessageChunk> {
  const { messageId = run.runId, ...others } = options
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new InputInvalid(`toUIMessageStream() has no option "${unknown}".`)
  const projection = new Projection()
  return streamOf(
    (async function* () {
      yield { type: 'start', messageId } as const
      if (run instanceof RunState) yield* projection.stored(storedRun(run, run.interruptions))
      else yield* liveChunks(run, projection)
      yield* ending(run, projection)
    })(),
  )
}

/** What is stored of a run, for a projection. */
export function storedRun(state: RunState, requests: readonly HitlRequest[]): StoredRun {
  const refused = state.threadRuns().at(-1)?.refused ?? new Map<string, string>()
  return { steps: stepsOf(state.newItems), refused, requests }
}

/** What happens in a run, until it pauses or ends. Leaving the generator leaves the run alone. */
export async function* liveChunks(
  run: StreamedRunResult<unknown>,
  projection: Projection,
): AsyncGenerator<UiMessageChunk> {
  const events = run[Symbol.asyncIterator]()
  for (;;) {
    // Not `for await`: leaving that would stop the run.
    const { done, value } = await events.next().catch((error: unknown) => {
      // How it failed is in its result.
      if (HoldpointError.isInstance(error)) return { done: true, value: undefined } as const
      throw error
    })
    if (done) return
    yield* projection.event(value)
  }
}

/** The last chunks. A page sees that a run failed, and with which code; what exactly went wrong is not for it. */
export async function* ending(
  run: StreamedRunResult<unknown> | RunState,
  projection: Projection,
): AsyncGenerator<UiMessageChunk> {
  const { interruptions, status, error } = run instanceof RunState ? stateEnd(run) : await run.completed
  yield* projection.end(interruptions)
  if (error) {
    yield { type: 'error', errorText: `The run failed (${error.code}).` }
    return
  }
  const waits = interruptions.length > 0
  yield { type: 'finish', finishReason: waits ? 'tool-calls' : status === 'completed' ? 'stop' : 'other' }
}

function stateEnd({ interruptions, status }: RunState) {
  return { interruptions, status, error: undefined }
}

/** A stream of what a generator yields. */
export function streamOf<T>(chunks: AsyncGenerator<T>): ReadableStream<T> {
  return new ReadableStream<T>({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    // Not awaited: the generator ends when what it waits for has happened.
    cancel: () => {
      chunks.return(undefined).catch(() => undefined)
    },
  })
}
