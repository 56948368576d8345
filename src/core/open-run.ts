import { JournalInvalid } from '../protocol/errors/errors.ts'
import { cloneJson, type JsonValue } from '../protocol/json/json.ts'
import type { RunContext } from '../protocol/run-context.ts'
import type { Run, ThreadState } from './state.ts'

/** The open run. Throws `JournalInvalid` if there is none. */
export function openRun(state: ThreadState): Run {
  if (state.run?.status !== 'open')
    throw new JournalInvalid({ threadId: state.threadId, seq: state.version, problem: 'there is no open run' })
  return state.run
}

/** A copy of the application's data for its own code, so that the stored data cannot be changed. */
export function copyContext({ context }: Run): JsonValue | undefined {
  return context === undefined ? undefined : cloneJson(context)
}

/** The part of a run that rules and formatters may read. */
export function runContextOf(run: Run): RunContext {
  const known = { context: copyContext(run), usage: { ...run.usage } }
  return run.toolInput === undefined ? known : { ...known, toolInput: cloneJson(run.toolInput) }
}
