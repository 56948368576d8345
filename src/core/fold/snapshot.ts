import type { Message } from '../../protocol/message.ts'
import { Definitions } from '../definitions.ts'
import { mapOf } from '../shared-map.ts'
import { type Call, emptyState, type Frame, type Run, type ThreadState } from '../state.ts'
import { Transcript } from '../transcript.ts'
import type { ChunkMark } from './chunks.ts'
import { NO_NOTES } from './fold-helpers.ts'

/**
 * The version of the fold. Raise it with every change of the fold or of the state's shape: snapshots of other versions are then ignored, and older
 * builds ignore the new ones.
 */
export const FOLD = 5

/** The members of a state that JSON cannot represent. */
type LiveKeys<T> = {
  [K in keyof T]: T[K] extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | Definitions | Transcript
    ? K
    : never
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

/** `chunks` is how many there are, `hash` that of their mark. */
interface PlainTranscript {
  length: number
  last: Message | null
  chunks: number
  hash: string
}

/**
 * A folded state as plain JSON, without the root's conversation: of that only the length, the last message and the chunks are named in which all of it
 * is. Its size depends on what is open, not on the length of the thread.
 */
type Snapshot = Plain<
  Omit<ThreadState, 'tenant' | 'threadId'>,
  {
    messages: PlainTranscript
    definitions: [fingerprint: string, json: string][]
    asked: Pairs<ThreadState['asked']>
    grants: Pairs<ThreadState['grants']>
    run: PlainRun | null
  }
>

/** Serialises a state whose whole conversation is in the chunks of this mark. */
export function takeSnapshot(state: ThreadState, chunks: ChunkMark): string {
  return JSON.stringify(plainState(state, chunks))
}

function plainState(
  { tenant: _tenant, threadId: _threadId, ...state }: ThreadState,
  { count, hash }: ChunkMark,
): Snapshot {
  const { messages, run } = state
  return {
    ...state,
    messages: { length: messages.length, last: messages.at(-1) ?? null, chunks: count, hash },
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

/** A state as a snapshot has it, without its conversation, and the chunks that the conversation is in. */
export interface RestoredSnapshot {
  readonly state: ThreadState
  readonly chunks: ChunkMark
}

/** Restores a state. `undefined`: the string is no snapshot of that version. */
export function restoreSnapshot(
  text: string,
  { tenant, threadId, version }: SnapshotPlace,
): RestoredSnapshot | undefined {
  try {
    const snapshot = JSON.parse(text) as Snapshot
    if (snapshot.version !== version) return undefined
    const { length, chunks: count, hash } = snapshot.messages
    const messages = openTranscript(snapshot.messages)
    const state = {
      ...emptyState(tenant, threadId),
      ...snapshot,
      messages,
      definitions: new Definitions(snapshot.definitions),
      asked: mapOf(snapshot.asked),
      grants: mapOf(snapshot.grants),
      run: snapshot.run && restoreRun(snapshot.run, messages),
    }
    return { state, chunks: { count, hash, messages: length } }
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) return undefined
    throw error
  }
}

function openTranscript({ length, last }: PlainTranscript): Transcript {
  return last ? Transcript.endingWith(last, length) : new Transcript()
}

function restoreRun(run: PlainRun, messages: Transcript): Run {
  return {
    ...run,
    rejections: mapOf(run.rejections),
    askedAbout: mapOf(run.askedAbout),
    frames: new Map(run.frames.map((frame) => [frame.key, restoreFrame(frame, messages)])),
  }
}

function restoreFrame(frame: PlainFrame, root: Transcript): Frame {
  const noted = new Set(frame.notes)
  return {
    ...frame,
    messages: frame.messages ? new Transcript(frame.messages) : root,
    calls: frame.calls.map((call): Call => ({ ...call, steps: mapOf(call.steps) })),
    notes: noted.size === 0 ? NO_NOTES : new Set(frame.queued.filter((_, index) => noted.has(index))),
  }
}
