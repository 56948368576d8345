import { apply } from '../core/fold/fold.ts'
import { isPast } from '../core/next.ts'
import { callsOf } from '../core/queries.ts'
import { type Call, emptyState, type Release } from '../core/state.ts'
import { toHitlRequest, toInterruption } from '../core/views/request-view.ts'
import { findRequest } from '../desk/find.ts'
import { editOf } from '../protocol/decision.ts'
import type { EntryOf } from '../protocol/entries/entry.ts'
import { parseBody } from '../protocol/entries/versions.ts'
import { frameOf } from '../protocol/ids.ts'
import type { JsonValue } from '../protocol/json/json.ts'
import { type ToolResult, textOf } from '../protocol/message.ts'
import type { HitlRequest } from '../protocol/request.ts'
import { modelMessages } from '../runtime/definition/model-messages.ts'
import type { Journal } from '../runtime/journal/journal.ts'
import { checkEdit } from '../runtime/judging/check-edit.ts'
import { refusalOf } from '../runtime/steps/refuse.ts'
import type { CallThread } from './call-thread.ts'
import type { GateCall, GateState } from './types.ts'

/** The state of a call that nobody has judged. */
export const NEVER_JUDGED: GateState = {
  status: 'refused',
  message: 'Not run: nobody was asked about this call. Its arguments may have been changed after it was judged.',
  isError: true,
}

/** The state of a call, as far as its journal was read. Writes nothing. */
export async function callState(thread: CallThread): Promise<GateState> {
  const { journal } = thread
  const [call] = callsOf(journal.state)
  if (!call) return endOf(journal)
  const { phase } = call
  switch (phase.at) {
    case 'held':
      return heldState(journal, call, phase)
    case 'answered':
      return answeredState(thread, call, phase)
    case 'released': {
      const { release, request } = phase
      if (release.notBefore > journal.now() && request)
        return { status: 'held', request: await requestOf(journal, request.opened.id), call: ref(journal, call) }
      return releasedState(journal, call, release)
    }
    case 'started':
      return { status: 'unknown' }
    case 'judged':
    case 'finished':
    case 'refused':
      // A verdict is stored together with what it means, and the only call of its turn leaves it with its result.
      return NEVER_JUDGED
    default:
      return phase satisfies never
  }
}

function releasedState({ state }: Journal, call: Call, release: Release): GateState {
  const known: GateCall = { callKey: call.key, digest: release.digest, threadId: state.threadId }
  if (release.by.kind === 'policy') return { status: 'free', call: known }
  return { status: 'released', args: structuredClone(release.args), by: { ...release.by }, call: known }
}

type PhaseAt<T extends Call['phase']['at']> = Extract<Call['phase'], { at: T }>

function heldState(journal: Journal, call: Call, { request, unknown }: PhaseAt<'held'>): GateState {
  const { onTimeout = 'reject' } = request.opened
  if (isPast(request, journal.now()) && onTimeout === 'reject') return refused(modelMessages.expired, true)
  const shown = toInterruption(journal.state, request)
  return unknown ? { status: 'unknown', request: shown } : { status: 'held', request: shown, call: ref(journal, call) }
}

/** A decision that nobody has acted on yet. */
async function answeredState(thread: CallThread, call: Call, phase: PhaseAt<'answered'>): Promise<GateState> {
  const { journal, parts } = thread
  const { answer, request } = phase
  const held = async (): Promise<GateState> => ({
    status: 'held',
    request: await requestOf(journal, request.opened.id),
    call: ref(journal, call),
  })
  if (answer.kind === 'closed') return resultState((await refusalOf(parts, call)).result)
  if (answer.effectiveAt > journal.now()) return held()
  const decision = editOf(answer.decision)
  if (!decision) return resultState((await refusalOf(parts, call)).result)
  const { agent, policies } = parts
  const edit = { agent, policies, state: journal.state, opened: request.opened, decision, by: answer.by }
  const check = await checkEdit(edit, parts.factsContext(frameOf(call.key)))
  if (!check?.ok) return held()
  const { args, digest } = check.edited
  const known = { callKey: call.key, digest, threadId: journal.state.threadId }
  return { status: 'released', args: structuredClone(args), by: { ...answer.by }, call: known }
}

function ref({ state }: Journal, { key, digest = '' }: Call): GateCall {
  return { callKey: key, digest, threadId: state.threadId }
}

async function requestOf(journal: Journal, id: string): Promise<HitlRequest> {
  return toHitlRequest(await findRequest(journal.store, id))
}

function refused(message: string, isError: boolean): GateState {
  return { status: 'refused', message, isError }
}

function resultState({ content, isError = false }: ToolResult): GateState {
  return refused(textOf(content), isError)
}

/** How a call ended. Its result has left the state, so the journal is folded once more. */
function endOf(journal: Journal): GateState {
  const { tenant, threadId } = journal.state
  const state = emptyState(tenant, threadId)
  let last: Call | undefined
  let ended: EntryOf<'call.finished' | 'call.refused'> | undefined
  let edited = false
  for (const [index, { at, body }] of journal.bodies.entries()) {
    const entry = parseBody(body, { threadId, seq: index + 1 })
    if (entry.type === 'call.finished' || entry.type === 'call.refused') {
      ended = entry
      edited = last !== undefined && isEdited(last)
    }
    apply(state, entry, at)
    ;[last] = callsOf(state)
  }
  if (!ended) return NEVER_JUDGED
  if (ended.type === 'call.refused') return resultState(ended.result)
  return { status: 'finished', result: returned(ended.result, edited), isError: ended.result.isError ?? false }
}

function isEdited({ phase }: Call): boolean {
  const release = 'release' in phase ? phase.release : 'unknown' in phase ? phase.unknown : undefined
  return release?.edited ?? false
}

/** The value that the host's function returned. */
function returned({ content, data }: ToolResult, edited: boolean): JsonValue {
  const value = edited && data !== undefined ? (data as { result?: JsonValue }).result : data
  return value === undefined ? textOf(content) : value
}
