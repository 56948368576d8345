import type { EntryOf } from '../../protocol/entries/entry.ts'
import { openRun } from '../open-run.ts'
import { callsOf, isSettled } from '../queries.ts'
import type { ThreadState } from '../state.ts'
import { invalid } from './fold-helpers.ts'

/** The application's data was replaced. Entries of their own record the decisions withdrawn with it. */
export function contextReplaced(state: ThreadState, entry: EntryOf<'context.replaced'>): void {
  const open = openRun(state)
  if (open.id !== entry.run) throw invalid(state, `run ${entry.run} is not the one that is open`)
  open.context = entry.context
  open.toolInput = entry.toolInput
  Object.assign(open.usage, entry.usage)
}

/** The run was moved to another version of its agent. */
export function runMoved(state: ThreadState, entry: EntryOf<'run.moved'>): void {
  const open = openRun(state)
  if (open.id !== entry.run) throw invalid(state, `run ${entry.run} is not the one that is open`)
  if (open.agent.id !== entry.agent.id) throw invalid(state, `agent ${entry.agent.id} is not the run's`)
  open.agent = entry.agent
  for (const call of callsOf(state)) if (!isSettled(call) && call.phase.at !== 'started') call.moved = true
}

/** Counts the run's messages that its session holds so far. The run may have ended by then. */
export function sessionWritten(state: ThreadState, entry: EntryOf<'session.written'>): void {
  const { run: last } = state
  if (last?.id !== entry.run || !last.session) throw invalid(state, `run ${entry.run} has no session`)
  last.session.written = entry.count
}
