import type { LoggedEffect } from './effects.js'
import type { Told } from './people.ts'
import type { Kind, PlannedThread } from './plan.ts'

/** What the tools wrote down. */
export interface Outcomes {
  readonly threads: readonly PlannedThread[]
  readonly effects: readonly LoggedEffect[]
  /** What people were told. */
  readonly acknowledged: readonly Told[]
}

/** Compares what the tools wrote down with what people decided. It does not look at the store at all. */
export function checkOutcomes({ threads, effects, acknowledged }: Outcomes): string[] {
  const byThread = new Map<string, LoggedEffect[]>()
  for (const effect of effects) {
    if (effect.tool === 'notify') continue
    const own = byThread.get(nameOf(effect)) ?? []
    own.push(effect)
    byThread.set(nameOf(effect), own)
  }
  const told = new Set(acknowledged.map((each) => `${each.kind} ${nameOf(each)}`))
  return threads.flatMap((thread) => {
    const name = nameOf(thread)
    const problem = problemOf(thread.kind, byThread.get(name) ?? [], (kind) => told.has(`${kind} ${name}`))
    return problem === undefined ? [] : [`${problem}: ${name}`]
  })
}

/** Names a thread. Tenants have threads of the same names. */
export function nameOf({ tenantId, threadId }: { tenantId: string; threadId: string }): string {
  return `${tenantId}/${threadId}`
}

function problemOf(
  kind: Kind,
  ran: readonly LoggedEffect[],
  wasTold: (what: Told['kind']) => boolean,
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
    case 'unanswered':
      return ran.length > 0 ? 'nothing starts after its deadline' : undefined
    case 'late':
      // Whoever is asked at the last moment may be in time or not: the checker compares the times in the journal.
      return undefined
    case 'confirm':
      return ran.some(({ answer }) => answer === 'true') ? undefined : 'every answer is applied'
    case 'ask':
      return ran.some(({ answer }) => answer?.includes('broken')) ? undefined : 'every answer is applied'
    case 'withdraw':
      return ran.length > 0 && wasTold('withdrawn') ? 'nothing starts after a withdrawal' : undefined
    default:
      return kind satisfies never
  }
}
