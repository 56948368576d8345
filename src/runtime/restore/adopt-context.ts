import { planContext } from '../../core/plan/context.ts'
import type { Store } from '../../ports/store.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import { StateDiverged } from '../../protocol/errors/errors.ts'
import { Journal } from '../journal/journal.ts'

const DECIDING: Entry['type'][] = ['request.decided', 'call.released', 'grant.created']
const WITHDRAWING: Entry['type'][] = ['request.reopened', 'grant.revoked']

/** Whether a state text may have this entry although its store does not: it is part of a decision, or replaces the context. */
export function isLaterWord(entry: Entry, beyond: readonly Entry[]): boolean {
  if (DECIDING.includes(entry.type) || entry.type === 'context.replaced') return true
  return WITHDRAWING.includes(entry.type) && beyond.some(replaces)
}

/**
 * Applies the context that a state text was restored with to the stored run. Resolves to the index of the first decision that a `replace` did not
 * withdraw. Standing decisions that reach beyond the thread belong to the store, not to the text, and stay.
 */
export async function adoptContext(store: Store, threadId: string, beyond: readonly Entry[]): Promise<number> {
  const last = beyond.findLast((entry) => entry.type === 'context.replaced')
  if (!last) return 0
  const journal = await Journal.open(store, threadId)
  const { run, context, toolInput, usage } = last
  const given = {
    strategy: beyond.some(replaces) ? 'replace' : 'merge',
    ...(context === undefined ? {} : { context }),
    ...(toolInput === undefined ? {} : { toolInput }),
    ...(usage ? { usage } : {}),
  } as const
  await journal.write((state) => {
    if (state.run?.status !== 'open' || state.run.id !== run) {
      throw new StateDiverged(threadId, 'the run whose context was replaced is over')
    }
    const ofThread = ({ scope = 'run' }: { scope?: string }) => scope === 'run' || scope === 'thread'
    const entries = planContext(state, state.run, { ...given, revokes: ofThread })
    return entries.length > 0 ? { entries } : undefined
  })
  return beyond.findLastIndex(replaces) + 1
}

function replaces(entry: Entry): boolean {
  return entry.type === 'context.replaced' && entry.strategy === 'replace'
}
