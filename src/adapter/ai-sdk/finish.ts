import type { Usage } from '../../protocol/entries/entry.ts'

/** Why a model stopped: in the words that all providers share, and in its provider's own. */
export interface FinishReason {
  unified: string
  raw: string | undefined
}

/** Specification 2 has a word; later ones have two. */
export function toFinishReason(reason: unknown): FinishReason {
  if (typeof reason === 'string') return { unified: reason, raw: reason }
  const { unified, raw } = (reason ?? {}) as { unified?: unknown; raw?: unknown }
  return {
    unified: typeof unified === 'string' ? unified : 'unknown',
    raw: typeof raw === 'string' ? raw : undefined,
  }
}

/** Whether the provider never said why the model stopped. */
export function isUnknown({ unified, raw }: FinishReason): boolean {
  return unified === 'unknown' || (unified === 'other' && raw === undefined)
}

/** Token counts: plain numbers in specification 2, totals with their parts in later ones. What a provider does not tell is left out. */
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
