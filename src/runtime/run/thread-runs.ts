import { apply } from '../../core/fold/fold.ts'
import { findCall } from '../../core/queries.ts'
import { emptyState } from '../../core/state.ts'
import type { EntryOf } from '../../protocol/entries/entry.ts'
import { parseBody } from '../../protocol/entries/versions.ts'
import { frameOf } from '../../protocol/ids.ts'
import { cloneMessages, type Message } from '../../protocol/message.ts'
import type { Journal } from '../journal/journal.ts'

/** One run of a thread, as its conversation has it. */
export interface ThreadRun {
  readonly id: string
  /** What it began with: its input, after the history that it was given. */
  readonly input: Message[]
  /** What was added to the conversation while it was open. */
  readonly added: Message[]
  /** Why calls of its root frame were refused, by the id that the model gave them. */
  readonly refused: ReadonlyMap<string, EntryOf<'call.refused'>['cause']>
}

/** The runs of a thread, oldest first. Folds its entries again, since a state keeps only the latest run. Copies. */
export function runsOf({ state: { tenant, threadId }, bodies }: Journal): ThreadRun[] {
  const state = emptyState(tenant, threadId)
  const runs: { id: string; start: number; from: number; refused: Map<string, EntryOf<'call.refused'>['cause']> }[] = []
  for (const [index, { at, body }] of bodies.entries()) {
    const entry = parseBody(body, { threadId, seq: index + 1 })
    const start = state.messages.length
    const run = runs.at(-1)
    if (entry.type === 'call.refused' && frameOf(entry.call) === run?.id) {
      const call = findCall(state, entry.call)
      if (call) run.refused.set(call.id, entry.cause)
    }
    apply(state, entry, at)
    if (entry.type === 'run.opened') {
      runs.push({ id: entry.run, start, from: state.messages.length, refused: new Map() })
    }
  }
  return runs.map(({ id, start, from, refused }, index) => ({
    id,
    input: cloneMessages(state.messages.slice(start, from)),
    added: cloneMessages(state.messages.slice(from, runs[index + 1]?.start)),
    refused,
  }))
}
