import type { RequestItem } from 'holdpoint/client'

const AGAIN = ['changed', 'unknown_outcome', 'grant_gone', 'policy_changed', 'decision_expired']

/** Whether a call is asked about that was let through before. */
export const asksAgain = ({ reason }: RequestItem): boolean => reason !== undefined && AGAIN.includes(reason)
