import { apply } from '../../core/fold/fold.ts'
import { findCall, lastAnswer } from '../../core/queries.ts'
import { emptyState, type Run, type ThreadState } from '../../core/state.ts'
import type { Actor, JsonValue, Risk } from '../../index.ts'
import type { PolicyCall } from '../../policy/policy.ts'
import type { Entry, EntryOf, Verdict } from '../../protocol/entries/entry.ts'
import { parseBody } from '../../protocol/entries/versions.ts'
import { type CallKey, type FrameKey, frameOf } from '../../protocol/ids.ts'
import type { ThreadName } from './list-threads.ts'

/** A recorded call, as its policies saw it. */
export interface Recorded extends ThreadName {
  seq: number
  at: number
  call: PolicyCall
  verdict: Verdict
  risk: Risk | undefined
  /** The tool's `needsApproval` asked for the review, since no policy did. */
  ownReview: boolean
  /** How the request about it was settled. */
  decided: Decided | undefined
}

/** How a request about a call was settled. */
export interface Decided {
  type: EntryOf<'request.decided'>['decision']['type'] | EntryOf<'request.closed'>['status']
  by: Actor
}

/** Folds a thread and records each call with what was known when it was judged. */
export function recordedCalls(
  thread: ThreadName,
  entries: readonly { seq: number; at: number; body: string }[],
): Recorded[] {
  const { threadId } = thread
  const state = emptyState(thread.tenant, threadId)
  const recorder = new Recorder(thread, state)
  for (const { seq, at, body } of entries) {
    const entry = parseBody(body, { threadId, seq })
    apply(state, entry, at)
    recorder.take(entry, { seq, at })
  }
  return recorder.recorded
}

/** Collects the calls of one thread. It is given each entry after the entry was folded. */
class Recorder {
  readonly recorded: Recorded[] = []
  readonly #thread: ThreadName
  readonly #state: ThreadState
  readonly #calls = new Map<CallKey, Recorded>()
  readonly #requests = new Map<string, Recorded>()

  constructor(thread: ThreadName, state: ThreadState) {
    this.#thread = thread
    this.#state = state
  }

  take(entry: Entry, place: { seq: number; at: number }): void {
    if (entry.type === 'call.judged') return this.#judged(entry, place)
    if (entry.type === 'request.opened') return this.#opened(entry)
    const about = 'id' in entry ? this.#requests.get(entry.id) : undefined
    if (!about) return
    if (entry.type === 'request.decided') about.decided = { type: entry.decision.type, by: entry.by }
    if (entry.type === 'request.closed') about.decided = { type: entry.status, by: entry.by }
    if (entry.type === 'request.reopened') about.decided = undefined
  }

  #judged({ call: key, verdict, policies = [] }: EntryOf<'call.judged'>, place: { seq: number; at: number }): void {
    const { run } = this.#state
    const made = findCall(this.#state, key)
    const frame = run?.frames.get(frameOf(key))
    if (!run || !made || !frame) return
    const asking = policies.some((mark) => !mark.shadow && mark.verdict !== 'allow')
    const one: Recorded = {
      ...this.#thread,
      ...place,
      verdict,
      risk: undefined,
      ownReview: verdict.kind === 'review' && !asking,
      decided: undefined,
      call: {
        toolName: made.tool,
        toolCallId: made.id,
        args: made.args ?? {},
        agent: made.agent.id,
        runContext: { context: run.context, usage: { ...run.usage }, ...this.#toolInput(run, frame.key) },
        threadId: this.#thread.threadId,
        ...lastAnswer(frame),
      },
    }
    this.recorded.push(one)
    this.#calls.set(key, one)
  }

  /** A nested agent knows the arguments that it was called with. */
  #toolInput(run: Run, frame: FrameKey): { toolInput?: JsonValue } {
    const outer = frame === run.id ? undefined : findCall(this.#state, frame as CallKey)
    const toolInput = outer?.phase.at === 'started' ? outer.phase.release.args : run.toolInput
    return toolInput === undefined ? {} : { toolInput }
  }

  #opened({ id, call, ordinal, reason, risk }: EntryOf<'request.opened'>): void {
    const about = call === undefined || ordinal !== undefined ? undefined : this.#calls.get(call)
    if (!about) return
    this.#requests.set(id, about)
    if (reason === undefined) about.risk = risk
  }
}
