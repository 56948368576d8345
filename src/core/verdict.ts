import type { Verdict } from '../protocol/entries/entry.ts'

const RANK: Record<Verdict['kind'], number> = { allow: 0, review: 1, deny: 2, invalid: 3 }

/** The most restrictive of several verdicts (G8). No verdict at all allows. */
export function strictest(verdicts: readonly Verdict[]): Verdict {
  let worst: Verdict = { kind: 'allow' }
  for (const verdict of verdicts) if (RANK[verdict.kind] > RANK[worst.kind]) worst = verdict
  return worst
}
