import { z } from 'zod'
import { lazy } from '../checks/lazy.ts'
import {
  callFinished,
  callJudged,
  callRefused,
  callReleased,
  callStarted,
  stepFinished,
  stepStarted,
  toolDefined,
} from './entry-call.ts'
import {
  grantCreated,
  grantRevoked,
  requestAnswered,
  requestAssigned,
  requestClosed,
  requestCommented,
  requestDecided,
  requestEscalated,
  requestOpened,
  requestReopened,
} from './entry-request.ts'
import {
  agentChanged,
  contextReplaced,
  erased,
  gatePassed,
  inputAdded,
  inputCleared,
  modelAnswered,
  modelDiscarded,
  runMoved,
  runOpened,
  runSettled,
  sessionAdded,
  sessionCleared,
  sessionPopped,
  sessionWritten,
  threadErased,
} from './entry-run.ts'

export type { PolicyMark, Verdict } from './entry-call.ts'
export type { AgentRef, GuardrailResult, Usage } from './entry-parts.ts'
export type { ShownPiece } from './entry-run.ts'

/**
 * The entries of a thread's journal. Every shape carries `v`. An older shape is upgraded when it is read ({@link
 * ./versions.ts}), never rewritten. Untrusted input must pass this schema.
 */
export const entry = lazy(() =>
  z.discriminatedUnion('type', [
    runOpened(),
    inputAdded(),
    inputCleared(),
    contextReplaced(),
    runMoved(),
    modelAnswered(),
    modelDiscarded(),
    toolDefined(),
    callJudged(),
    requestOpened(),
    requestDecided(),
    requestAnswered(),
    requestReopened(),
    requestClosed(),
    requestEscalated(),
    requestCommented(),
    requestAssigned(),
    grantCreated(),
    grantRevoked(),
    callReleased(),
    callStarted(),
    stepStarted(),
    stepFinished(),
    callFinished(),
    callRefused(),
    agentChanged(),
    gatePassed(),
    runSettled(),
    sessionWritten(),
    sessionAdded(),
    sessionPopped(),
    sessionCleared(),
    erased(),
    threadErased(),
  ]),
)
/** One entry of a journal. */
export type Entry = z.infer<ReturnType<typeof entry>>
/** The entry of a given type. */
export type EntryOf<T extends Entry['type']> = Extract<Entry, { type: T }>
