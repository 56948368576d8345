import type { Message } from '../../protocol/message.ts'
import { type Call, emptyState, type Frame, type Run, type ThreadState } from '../state.ts'
import { Transcript } from '../transcript.ts'

/**
 * The version of the fold. Raise it with every change of the fold or of the state's shape: snapshots of other versions are then ignored, and older
 * builds ignore the new ones.
 */
export const FOLD = 3

/** The members of a state that JSON cannot represent. */
type LiveKeys<T> = {
  [K in keyof T]: T[K] extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | Transcript ? K : never
}[keyof T]

/** A part of a state in which such members are replaced. The compiler refuses it if one is left. */
type Plain<T, Replaced extends Record<LiveKeys<T>, unknown>> = Omit<T, keyof Replaced> & Replaced

type Pairs<T> = T extends ReadonlyMap<infer K, infer V> ? [K, V][] : never

type PlainCall = Plain<Call, { steps: Pairs<Call['steps']> }>

/** `messages` is `null` in the root frame, whose conversation is the thread's. `notes` are positions in `queued`. */
type PlainFrame = Plain<Frame, { messages: readonly Message[] | null; calls: PlainCall[]; notes: number[] }>

type PlainRun = Plain<
  Run,
  { rejections: Pairs<Run['rejections']>; askedAbout: Pairs<Run['askedAbout']>; frames: PlainFrame[] }
>

/**
 * A folded state as plain JSON, without the root's conversation: of that only the length and the last message are kept. Its size depends on what is
 * open, not on the length of the thread.
 */
type Snapshot = Plain<
  Omit<ThreadState, 'tenant' | 'threadId'>,
  {
    messages: { length: number; last: Message | null }
    definitions: Pairs<ThreadState['definitions']>
    asked: Pairs<ThreadState['asked']>
    grants: Pairs<ThreadState['grants']>
    run: PlainRun | null
  }
>

/** Serialises a state. */
export function takeSnapshot(state: ThreadState): string {
  return JSON.stringify(plainState(state))
}

function plainState({ tenant: _tenant, threadId: _threadId, ...state }: ThreadState): Snapshot {
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
function plainRun(run: Run): PlainRun {
  return {
    ...run,
    rejections: [...run.rejections],
    askedAbout: [...run.askedAbout],
    frames: [...run.frames.values()].map((frame) => plainFrame(frame, frame.key === run.id)),
  }
}

function plainFrame(frame: Frame, isRoot: boolean): PlainFrame {
  return {
    ...frame,
    messages: isRoot ? null : frame.messages.all,
    calls: frame.calls.map((call) => ({ ...call, steps: [...call.steps] })),
    notes: frame.queued.flatMap((message, index) => (frame.notes.has(message) ? [index] : [])),
  }
}

/** The place of a snapshot. */
interface SnapshotPlace {
  readonly tenant: string
  readonly threadId: string
  readonly version: number
}

/** Restores a state. `undefined`: the string is no snapshot of that version. */
export function restoreSnapshot(text: string, { tenant, threadId, version }: SnapshotPlace): ThreadState | undefined {
  try {
    const snapshot = JSON.parse(text) as Snapshot
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
    if (error instanceof TypeError || error instanceof SyntaxError) return undefined
    throw error
  }
}

function openTranscript({ length, last }: { length: number; last: Message | null }): Transcript {
  return last ? new Transcript([last], length - 1) : new Transcript()
}

function restoreRun(run: PlainRun, messages: Transcript): Run {
  return {
    ...run,
    rejections: new Map(run.rejections),
    askedAbout: new Map(run.askedAbout),
    frames: new Map(run.frames.map((frame) => [frame.key, restoreFrame(frame, messages)])),
  }
}

function restoreFrame(frame: PlainFrame, root: Transcript): Frame {
  const noted = new Set(frame.notes)
  return {
    ...frame,
    messages: frame.messages ? new Transcript(frame.messages) : root,
    calls: frame.calls.map((call): Call => ({ ...call, steps: new Map(call.steps) })),
    notes: new Set(frame.queued.filter((_, index) => noted.has(index))),
  }
}
