import type { LoggedEffect } from './effects.js'
import type { PlannedThread } from './plan.ts'

/** What the tools wrote down. */
export interface Outcomes {
  readonly threads: readonly PlannedThread[]
  readonly effects: readonly LoggedEffect[]
  /** The threads whose approval was taken back in time, so people were told. */
  readonly withdrawn: ReadonlySet<string>
}

/** Compares what the tools wrote down with what people decided. It does not look at the store at all. */
export function checkOutcomes({ threads, effects, withdrawn }: Outcomes): string[] {
  const byThread = new Map<string, LoggedEffect[]>()
  for (const effect of effects) {
    if (effect.tool === 'notify') continue
    const own = byThread.get(effect.threadId) ?? []
    own.push(effect)
    byThread.set(effect.threadId, own)
  }
  return threads.flatMap((thread) => {
    const problem = problemOf(thread, byThread.get(thread.threadId) ?? [], withdrawn)
    return problem === undefined ? [] : [`${problem}: ${thread.threadId}`]
  })
}

function problemOf(
  { threadId, kind }: PlannedThread,
  ran: readonly LoggedEffect[],
  withdrawn: ReadonlySet<string>,
): string | undefined {
  switch (kind) {
    case 'approve':
    case 'nested':
    case 'undo':
    case 'grant':
      return ran.length === 0 ? 'every approval is applied' : undefined
    case 'edit':
      if (ran.length === 0) return 'every approval is applied'
      return ran.some(({ amount }) => amount !== 7) ? 'what was edited runs as edited' : undefined
    case 'reject':
      return ran.length > 0 ? 'nothing starts after a rejection' : undefined
    case 'expire':
      return ran.length > 0 ? 'nothing starts after its deadline' : undefined
    case 'withdraw':
      return ran.length > 0 && withdrawn.has(threadId) ? 'nothing starts after a withdrawal' : undefined
    default:
      return kind satisfies never
  }
}
