import {
  type AgentEvent,
  type HitlRequest,
  HoldpointError,
  RunState,
  type StreamedRunResult,
  type ThreadResult,
} from '../../index.ts'
import { InputInvalid } from '../../ports.ts'
import type { UiMessageChunk } from './chunk.ts'
import { Projection, type StoredRun } from './projection.ts'
import { stepsOf } from './steps.ts'
import { type AnyThread, listenTo, type ThreadEvents } from './thread-events.ts'

/** Options of `toUIMessageStream`. */
export interface UiMessageStreamOptions {
  /** The id of the message. Default: the id of the run, so that a resumed run continues its message. */
  messageId?: string
}

/**
 * A run as the UI message stream of the AI SDK, for `createUIMessageStreamResponse`. A streamed run is followed from where it was resumed, which is what a
 * `useChat` page expects that has the message so far. A state is the whole message. Of a thread, it is the call that drives it: the one that was just made,
 * or the next one. Cancelling the stream does not stop the run.
 */
export function toUIMessageStream(
  run: StreamedRunResult<unknown> | RunState | AnyThread,
  options: UiMessageStreamOptions = {},
): ReadableStream<UiMessageChunk> {
  const { messageId, ...others } = options
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new InputInvalid(`toUIMessageStream() has no option "${unknown}".`)
  if (run instanceof RunState) return streamOf(wholeMessage(run, messageId))
  if (!('subscribe' in run)) return streamOf(runMessage(run, messageId))
  const heard = listenTo(run)
  return streamOf(threadMessage(run, heard, messageId), heard.stop)
}

async function* wholeMessage(state: RunState, messageId = state.runId): AsyncGenerator<UiMessageChunk> {
  const projection = new Projection()
  const { interruptions, status } = state
  yield { type: 'start', messageId }
  yield* projection.stored(await storedRun(state, interruptions))
  yield* ending({ interruptions, status }, projection)
}

async function* runMessage(run: StreamedRunResult<unknown>, messageId = run.runId): AsyncGenerator<UiMessageChunk> {
  const projection = new Projection()
  const events = eventsOf(run)
  const { value: first } = await events.next()
  if (first?.type !== 'agent_start') projection.goOn(stepsOf(run.newItems))
  yield { type: 'start', messageId }
  if (first) yield* projection.event(first)
  for await (const event of events) yield* projection.event(event)
  yield* ending(await run.completed, projection)
}

/** The message of the call that drives a thread. What was open before is told first; if the call begins a run, that is part of another message. */
async function* threadMessage(
  thread: AnyThread,
  { events, result }: ThreadEvents,
  given: string | undefined,
): AsyncGenerator<UiMessageChunk> {
  const projection = new Projection()
  const before: AgentEvent[] = []
  let { value: first } = await events.next()
  for (; first?.replayed; { value: first } = await events.next()) before.push(first)
  if (first?.type === 'agent_start') yield { type: 'start', messageId: given ?? first.runId }
  else {
    const state = first && (await thread.state())
    projection.goOn(stepsOf(state?.newItems ?? []))
    for (const event of before) yield* projection.event(event)
    const messageId = given ?? state?.runId
    yield { type: 'start', ...(messageId === undefined ? {} : { messageId }) }
  }
  if (first) yield* projection.event(first)
  for await (const event of events) yield* projection.event(event)
  yield* ending(await result.then(endOfThread, failure), projection)
}

function endOfThread(result: ThreadResult<unknown>): Ending {
  const { status, requests: interruptions } = result
  return { status, interruptions, error: status === 'failed' ? result.error : undefined }
}

/** Its caller is told why a call rejected. */
function failure(error: unknown): Ending {
  return {
    status: 'failed',
    interruptions: [],
    error: { code: HoldpointError.isInstance(error) ? error.code : 'error' },
  }
}

/** What is stored of a run, for a projection. */
export async function storedRun(state: RunState, requests: readonly HitlRequest[]): Promise<StoredRun> {
  const steps = stepsOf(state.newItems)
  return { steps, refused: (await state.loadRuns()).at(-1)?.refused ?? new Map(), requests }
}

/** What happens in a run, until it pauses or ends. */
export async function* liveChunks(
  run: StreamedRunResult<unknown>,
  projection: Projection,
): AsyncGenerator<UiMessageChunk> {
  for await (const event of eventsOf(run)) yield* projection.event(event)
}

/** The events of a run. Leaving the generator leaves the run alone. */
async function* eventsOf(run: StreamedRunResult<unknown>): AsyncGenerator<AgentEvent> {
  const events = run[Symbol.asyncIterator]()
  for (;;) {
    // Not `for await`: leaving that would stop the run.
    const { done, value } = await events.next().catch((error: unknown) => {
      // How it failed is in its result.
      if (HoldpointError.isInstance(error)) return { done: true, value: undefined } as const
      throw error
    })
    if (done) return
    yield value
  }
}

/** How a run stands when its message ends, for now. */
interface Ending {
  interruptions: readonly HitlRequest[]
  status: string
  error?: { code: string } | undefined
}

/** The last chunks. A page sees that a run failed, and with which code; what exactly went wrong is not for it. */
export function* ending({ interruptions, status, error }: Ending, projection: Projection): Generator<UiMessageChunk> {
  yield* projection.end(interruptions)
  if (error) {
    yield { type: 'error', errorText: `The run failed (${error.code}).` }
    return
  }
  const waits = interruptions.length > 0
  yield { type: 'finish', finishReason: waits ? 'tool-calls' : status === 'completed' ? 'stop' : 'other' }
}

/** A stream of what a generator yields. `stop`: makes the generator end that waits for something. */
export function streamOf<T>(chunks: AsyncGenerator<T>, stop?: () => void): ReadableStream<T> {
  return new ReadableStream<T>({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    // Not awaited: the generator ends when what it waits for has happened.
    cancel: () => {
      stop?.()
      chunks.return(undefined).catch(() => undefined)
    },
  })
}
