import type { CallKey } from '../../protocol/ids.ts'
import type { Message } from '../../protocol/message.ts'
import { type Call, emptyState, type Frame, type Run, type ThreadState } from '../state.ts'
import { Transcript } from '../transcript.ts'

/**
 * The version of the fold. Raise it with every change of the fold or of the state's shape: snapshots of other versions are then ignored, and older
 * builds ignore the new ones.
 */
export const FOLD = 1

/**
 * A folded state as plain JSON, without the root's conversation: of that only the length and the last message are kept. Its size depends on what is
 * open, not on the length of the thread.
 */
export type Snapshot = ReturnType<typeof takeSnapshot>

/** Converts a state to plain JSON. Shares objects with it. */
export function takeSnapshot({ tenant: _tenant, threadId: _threadId, ...state }: ThreadState) {
  const { messages, run } = state
  return {
    ...state,
    messages: { length: messages.length, last: messages.at(-1) ?? null },
    definitions: [...state.definitions],
    asked: [...state.asked],
    grants: [...state.grants],
    run: run && plainRun(run),
  }
}

/** The root's conversation is the thread's. */
function plainRun(run: Run) {
  return {
    ...run,
    rejections: [...run.rejections],
    askedAbout: [...run.askedAbout],
    frames: [...run.frames.values()].map((frame) => plainFrame(frame, frame.key === run.id)),
  }
}

function plainFrame(frame: Frame, isRoot: boolean) {
  return {
    ...frame,
    messages: isRoot ? null : frame.messages.all,
    calls: frame.calls.map((call) => ({ ...call, steps: [...call.steps] })),
    notes: frame.queued.flatMap((message, index) => (frame.notes.has(message) ? [index] : [])),
  }
}

/** The place of a snapshot. */
export interface SnapshotPlace {
  readonly tenant: string
  readonly threadId: string
  readonly version: number
}

/** Restores a state from parsed JSON. `undefined`: it is no snapshot of that version. */
export function restoreSnapshot(value: unknown, { tenant, threadId, version }: SnapshotPlace): ThreadState | undefined {
  const snapshot = value as Snapshot
  try {
    if (snapshot.version !== version) return undefined
    const messages = openTranscript(snapshot.messages)
    return {
      ...emptyState(tenant, threadId),
      ...snapshot,
      messages,
      definitions: new Map(snapshot.definitions),
      asked: new Map(snapshot.asked),
      grants: new Map(snapshot.grants),
      run: snapshot.run && restoreRun(snapshot.run, messages),
    }
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

function openTranscript({ length, last }: { length: number; last: Message | null }): Transcript {
  return last ? new Transcript([last], length - 1) : new Transcript()
}

function restoreRun(run: NonNullable<Snapshot['run']>, messages: Transcript): Run {
  return {
    ...run,
    // What JSON leaves out.
    context: run.context,
    toolInput: run.toolInput,
    rejections: new Map(run.rejections),
    askedAbout: new Map<string, CallKey>(run.askedAbout),
    frames: new Map(run.frames.map((frame) => [frame.key, restoreFrame(frame, messages)])),
  }
}

function restoreFrame(frame: NonNullable<Snapshot['run']>['frames'][number], root: Transcript): Frame {
  const noted = new Set(frame.notes)
  return {
    ...frame,
    messages: frame.messages ? new Transcript(frame.messages) : root,
    calls: frame.calls.map((call): Call => ({ ...call, steps: new Map(call.steps) })),
    notes: new Set(frame.queued.filter((_, index) => noted.has(index))),
  }
}
