import { planAbortAll } from '../../core/plan/calls.ts'
import type { ThreadState } from '../../core/state.ts'
import { projectRequests } from '../../core/views/project.ts'
import type { Append } from '../../ports/store.ts'
import type { Actor } from '../../protocol/decision.ts'

/** Who ends what a thread waits for, and why. `head`: the end of the journal that was folded. */
export interface Aborting {
  readonly by: Actor
  readonly reason: string
  readonly head: string
}

/** The append that ends everything that a thread waits for, and its run. `undefined`: there is nothing to end. */
export function abortAppend(state: ThreadState, { head, ...why }: Aborting): Append | undefined {
  const { threadId, version } = state
  const entries = planAbortAll(state, why)
  if (entries.length === 0) return undefined
  return {
    ...{ threadId, version, head },
    entries: entries.map((entry) => JSON.stringify(entry)),
    requests: projectRequests(entries, threadId),
    wake: { op: 'set', at: null },
  }
}
