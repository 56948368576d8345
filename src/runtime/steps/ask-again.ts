import { openRun } from '../../core/open-run.ts'
import { type AskAgain, planAskAgain } from '../../core/plan/ask-again.ts'
import type { Call, ThreadState } from '../../core/state.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import type { IdSource } from '../../protocol/uuid.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { ownerOf } from '../frames/frame-agents.ts'
import type { Journal } from '../journal/journal.ts'
import { showCall } from '../judging/show-call.ts'

/** Dependencies of `askAgain`. */
export interface Asker {
  readonly agent: AgentDefinition
  readonly journal: Journal
  readonly newId: IdSource
}

/** Returns the entry that asks people again about a call which was released or started. */
export function askAgain(
  { agent, journal, newId }: Asker,
  { state, call }: { state: ThreadState; call: Call },
  ask: Omit<AskAgain, 'id' | 'now'>,
): Entry {
  const tool = ownerOf(agent, call).requireTool(ask.release.tool)
  const shown = showCall(tool, ask.release.args, ask.digest)
  return planAskAgain(openRun(state), call, { id: newId(), now: journal.now(), shown, ...ask })
}
