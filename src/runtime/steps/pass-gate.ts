import { openRun } from '../../core/open-run.ts'
import { planFrameEnd } from '../../core/plan/frames.ts'
import { type GateOutcome, passedGate, planGatePassed } from '../../core/plan/gate.ts'
import { isRoot } from '../../core/queries.ts'
import type { Frame } from '../../core/state.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import type { Message } from '../../protocol/message.ts'
import type { RunParts } from '../frames/frame-agents.ts'
import { frameResult } from '../frames/frame-result.ts'
import type { Activation } from '../journal/activation.ts'
import { mayDropLease } from '../journal/may-drop-lease.ts'
import { onceInEffect } from './once-in-effect.ts'

/** Carries out a person's decision about the answer that a gate holds. */
export async function passGate(parts: RunParts & { activation: Activation }, frame: Frame): Promise<void> {
  const answer = frame.gate?.answer
  const before = passedGate(openRun(parts.journal.state), frame)
  const ended = before?.kind === 'ends' ? await frameResult(parts, frame, lastWord(frame, before)) : undefined
  const entries = await parts.activation.write((state) => {
    const { run } = state
    if (run?.status !== 'open' || run.frames.get(frame.key) !== frame) return undefined
    // The answer may have been withdrawn meanwhile, and another one given.
    const outcome = frame.gate?.answer === answer ? passedGate(run, frame) : undefined
    if (!outcome) return undefined
    const passed = planGatePassed(run, frame)
    if (outcome.kind === 'goes-on') return onceInEffect(parts.journal, state, { entries: [passed, ...outcome.entries] })
    const ends = planFrameEnd(state, { run, frame }, ended?.result)
    const entries = [passed, ...(isRoot(run, frame) && outcome.replaced ? ends.map(saying(outcome.text)) : ends)]
    return onceInEffect(parts.journal, state, { entries, drop: mayDropLease(state, entries) })
  })
  if (entries && ended?.error) throw ended.error
}

/** The last message of a frame: the held answer, or a person's replacement. */
function lastWord({ messages }: Frame, { text, replaced }: Extract<GateOutcome, { kind: 'ends' }>): Message {
  const held = messages.at(-1)
  return held && !replaced ? held : { role: 'assistant', content: text, stopReason: 'stop' }
}

/** Replaces the last message of a run with a person's text. */
function saying(content: string): (entry: Entry) => Entry {
  return (entry) =>
    entry.type === 'run.settled' ? { ...entry, message: { role: 'assistant', content, stopReason: 'stop' } } : entry
}
