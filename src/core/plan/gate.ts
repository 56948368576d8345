import type { Actor } from '../../protocol/decision.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import { textOf } from '../../protocol/message.ts'
import type { Frame, Run } from '../state.ts'

/** The effect of a decision at a frame's gate. */
export type GateOutcome =
  /** The frame ends with this text. `replaced`: a person wrote it, not the model. */
  | { kind: 'ends'; text: string; replaced: boolean }
  /** The model is asked again: its answer was rejected, or input arrived meanwhile. */
  | { kind: 'goes-on'; entries: Entry[] }

/**
 * Applies the decision at a gate: the answer ends the frame, is replaced, or is rejected with a reason for the model.
 */
export function passedGate(run: Run, frame: Frame): GateOutcome | undefined {
  const answer = frame.gate?.answer
  if (!answer) return undefined
  const goesOn = (reason: string): GateOutcome => ({ kind: 'goes-on', entries: [back(run, frame, reason)] })
  if (answer.kind === 'closed')
    return goesOn(answer.status === 'expired' ? 'nobody let it through in time' : (answer.reason ?? 'it was withdrawn'))
  const { decision } = answer
  switch (decision.type) {
    case 'respond':
      return { kind: 'ends', text: decision.message, replaced: true }
    case 'reject':
      return goesOn(decision.message?.trim() ? decision.message : 'no reason was given')
    case 'approve': {
      // Input that arrived meanwhile is answered before the frame ends.
      if (frame.queued.length > 0) return { kind: 'goes-on', entries: [] }
      const last = frame.messages.at(-1)
      return { kind: 'ends', text: last ? textOf(last.content) : '', replaced: false }
    }
    case 'edit':
      return goesOn('an answer cannot be edited')
    default:
      return decision satisfies never
  }
}

/** Removes a frame's gate. */
export function planGatePassed(run: Run, frame: Frame): Entry {
  return { v: 1, type: 'gate.passed', run: run.id, ...ofFrame(run, frame) }
}

/** Reopens the request of a frame's gate, if its decision was not acted on. */
export function planGateReopen({ gate }: Frame, by: Actor): Entry[] {
  if (gate?.answer?.kind !== 'decision') return []
  const { opened, version } = gate.request
  return [{ v: 1, type: 'request.reopened', id: opened.id, version: version + 1, cause: 'withdrawn', by }]
}

function back(run: Run, frame: Frame, reason: string): Entry {
  const content = `A person did not let your last answer through: ${reason}. Answer again.`
  const input = [{ role: 'system', content } as const]
  return { v: 1, type: 'input.added', run: run.id, ...ofFrame(run, frame), input, note: true }
}

/** The frame's key, unless it is the root. */
function ofFrame(run: Run, { key }: Frame): { frame?: string } {
  return key === run.id ? {} : { frame: key }
}
