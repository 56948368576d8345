import {
  type Agent,
  type HitlRequest,
  type HoldpointError,
  type JsonObject,
  openDesk,
  RunState,
  run,
  type Store,
  type StreamedRunResult,
  ThreadBusy,
} from '../../index.ts'
import type { UiMessageChunk } from './chunk.ts'
import { Projection } from './projection.ts'
import { ending, liveChunks, storedRun } from './to-ui-message-stream.ts'

/** A conversation of a page. */
export interface Conversation {
  agent: Agent
  store: Store
  threadId: string
  deps?: unknown
  onFailure: (error: HoldpointError) => void
}

/** How long to wait before looking again at a run that another process drives. */
const LOOK_AGAIN_MS = 300

/** The message of a run that was just started. */
export async function* begun(
  { onFailure }: Conversation,
  streamed: StreamedRunResult<unknown>,
): AsyncGenerator<UiMessageChunk> {
  tell(streamed, onFailure)
  const projection = new Projection()
  yield { type: 'start', messageId: streamed.runId }
  yield* liveChunks(streamed, projection)
  yield* ending(await streamed.completed, projection)
}

/**
 * The message of a run that was stored: what the page does not have of it, then what happens. Drives the run if nobody does; if another process does, says
 * what that one has stored until it ends.
 */
export async function* followed(
  conversation: Conversation,
  { state, has, say = [] }: { state: RunState; has: readonly object[]; say?: readonly UiMessageChunk[] },
): AsyncGenerator<UiMessageChunk> {
  const { agent, store, threadId, deps } = conversation
  const projection = new Projection(has)
  yield { type: 'start', messageId: state.runId }
  yield* say
  for (let at = state; ; at = await RunState.load(agent, { store, threadId, messages: true })) {
    yield* projection.stored(await storedRun(at, await requestsOf(conversation)))
    if (at.status !== 'open') {
      yield* ending(at, projection)
      return
    }
    const streamed = await goOn(at, deps)
    if (streamed) {
      tell(streamed, conversation.onFailure)
      yield* liveChunks(streamed, projection)
      const result = await streamed.completed
      if (result.status !== 'incomplete') {
        yield* ending(result, projection)
        return
      }
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
  }
}

/** Says why a run failed, also if the page has left by then. */
function tell(streamed: StreamedRunResult<unknown>, onFailure: Conversation['onFailure']): void {
  void streamed.completed.then(({ error }) => error && onFailure(error))
}

/** Drives the run, unless another process does. */
async function goOn(state: RunState, deps: unknown): Promise<StreamedRunResult<unknown> | undefined> {
  try {
    const options = deps === undefined ? {} : { deps }
    return await run(state.agent as Agent, state, { ...options, stream: true })
  } catch (error) {
    if (error instanceof ThreadBusy) return undefined
    throw error
  }
}

/** The requests of a conversation, newest first. Those of the current run are among the first. */
async function requestsOf({ store, threadId }: Conversation): Promise<HitlRequest[]> {
  const { requests } = await openDesk({ store }).list({ threadId, limit: 100 })
  return requests
}

/** Starts a run with what the user said. */
export function begin(
  { agent, store, threadId, deps }: Conversation,
  input: Parameters<typeof run>[1],
  context: JsonObject | undefined,
): Promise<StreamedRunResult<unknown>> {
  const options = { ...(context === undefined ? {} : { context }), ...(deps === undefined ? {} : { deps }) }
  return run(agent, input, { store, threadId, ...options, stream: true })
}
