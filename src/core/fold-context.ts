import type { EntryOf } from '../protocol/entries/entry.ts'
import { invalid, run } from './fold-helpers.ts'
import type { ThreadState } from './state.ts'

/** The application's data were replaced. What is withdrawn with them is told by entries of its own. */
export function contextReplaced(state: ThreadState, entry: EntryOf<'context.replaced'>): void {
  const open = run(state)
  if (open.id !== entry.run) throw invalid(state, `run ${entry.run} is not the one that is open`)
  open.context = entry.context
  open.toolInput = entry.toolInput
  Object.assign(open.usage, entry.usage)
}

/** What a run added is in its session so far. It may be over by then. */
export function sessionWritten(state: ThreadState, entry: EntryOf<'session.written'>): void {
  const { run: last } = state
  if (last?.id !== entry.run || !last.session) throw invalid(state, `run ${entry.run} has no session`)
  last.session.written = entry.count
}
