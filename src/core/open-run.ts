import { JournalInvalid } from '../protocol/errors/errors.ts'
import type { FrameKey } from '../protocol/ids.ts'
import { cloneJson, type JsonValue } from '../protocol/json/json.ts'
import type { RunContext } from '../protocol/run-context.ts'
import { lineOf } from './queries.ts'
import type { Run, ThreadState } from './state.ts'

/** The open run. Throws `JournalInvalid` if there is none. */
export function openRun(state: ThreadState): Run {
  if (state.run?.status !== 'open')
    throw new JournalInvalid({ threadId: state.threadId, seq: state.version, problem: 'there is no open run' })
  return state.run
}

/** A copy of the application's data for its own code, so that the stored data cannot be changed. In a nested frame it may be that frame's own. */
export function copyContext(run: Run, frame: FrameKey): JsonValue | undefined {
  const own = lineOf(run, frame).findLast(({ context }) => context !== undefined)
  const context = own ? own.context : run.context
  return context === undefined ? undefined : cloneJson(context)
}

/** The part of a run that rules and formatters of a frame may read. */
export function runContextOf(run: Run, frame: FrameKey): RunContext {
  const known = { context: copyContext(run, frame), usage: { ...run.usage } }
  return run.toolInput === undefined ? known : { ...known, toolInput: cloneJson(run.toolInput) }
}
