import type { VerdictState } from 'holdpoint/react'
import type { Words } from '../i18n/i18n.tsx'

/** What came of undoing decisions, in words. */
export function undoneText(states: readonly VerdictState[], { toast }: Words['verdict']): string {
  const failed = states.filter(({ state }) => state !== 'withdrawn').length
  if (failed > 0) return states.length > 1 ? toast.undoPartly(failed) : toast.undoFailed
  const isExpired = states.some((one) => one.state === 'withdrawn' && one.request.status === 'expired')
  return isExpired ? toast.undoneExpired : toast.undone
}
