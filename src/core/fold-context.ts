import type { EntryOf } from '../protocol/entries/entry.ts'
import { invalid } from './fold-helpers.ts'
import { openRun } from './open-run.ts'
import type { ThreadState } from './state.ts'

/** The application's data was replaced. Entries of their own record the decisions withdrawn with it. */
export function contextReplaced(state: ThreadState, entry: EntryOf<'context.replaced'>): void {
  const open = openRun(state)
  if (open.id !== entry.run) throw invalid(state, `run ${entry.run} is not the one that is open`)
  open.context = entry.context
  open.toolInput = entry.toolInput
  Object.assign(open.usage, entry.usage)
}

/** Counts the run's messages that its session holds so far. The run may have ended by then. */
export function sessionWritten(state: ThreadState, entry: EntryOf<'session.written'>): void {
  const { run: last } = state
  if (last?.id !== entry.run || !last.session) throw invalid(state, `run ${entry.run} has no session`)
  last.session.written = entry.count
}
