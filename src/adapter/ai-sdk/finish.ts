import type { Usage } from '../../protocol/entries/entry.ts'

/** Why a model stopped: the unified reason, and the provider's own. */
export interface FinishReason {
  unified: string
  raw: string | undefined
}

/** Specification 2 has one string; later ones have both. */
export function toFinishReason(reason: unknown): FinishReason {
  if (typeof reason === 'string') return { unified: reason, raw: reason }
  const { unified, raw } = (reason ?? {}) as { unified?: unknown; raw?: unknown }
  return {
    unified: typeof unified === 'string' ? unified : 'unknown',
    raw: typeof raw === 'string' ? raw : undefined,
  }
}

/** Whether the provider gave no reason. */
export function isUnknown({ unified, raw }: FinishReason): boolean {
  return unified === 'unknown' || (unified === 'other' && raw === undefined)
}

/** Token counts: plain numbers in specification 2, totals with details in later ones. Missing counts are left out. */
export function toUsage(usage: unknown): Partial<Usage> {
  const { inputTokens, outputTokens, totalTokens } = (usage ?? {}) as Record<keyof Usage, unknown>
  const counts = {
    inputTokens: countOf(inputTokens),
    outputTokens: countOf(outputTokens),
    totalTokens: countOf(totalTokens),
  }
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined))
}

function countOf(count: unknown): number | undefined {
  if (typeof count === 'object' && count !== null && 'total' in count) return countOf(count.total)
  return typeof count === 'number' && Number.isFinite(count) ? count : undefined
}
