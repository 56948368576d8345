import type { RequestListFilter } from 'holdpoint/client'

/** The filters that always have a button. */
export const bases = ['all', 'mine', 'high'] as const
/** A filter that always has a button. */
export type BaseFilter = (typeof bases)[number]

/** What the queue shows. */
export interface QueueFilter {
  base: BaseFilter
  text: string
}

/** A filter that a person keeps under a name. */
export interface SavedFilter extends QueueFilter {
  name: string
}

const KEY = 'holdpoint.filters'
const MOST = 12

/** The query of a filter. */
export function toListFilter({ base, text }: QueueFilter): RequestListFilter {
  const words = text.trim()
  return {
    ...(base === 'mine' ? { mine: true } : {}),
    ...(base === 'high' ? { risk: 'high' as const } : {}),
    ...(words === '' ? {} : { text: words.slice(0, 200) }),
  }
}

/** Whether two filters show the same. */
export const sameFilter = (a: QueueFilter, b: QueueFilter): boolean =>
  a.base === b.base && a.text.trim() === b.text.trim()

/** Reads the kept filters of this device. Anything else in their place counts as none. */
export function readFilters(storage: { getItem(key: string): string | null }): SavedFilter[] {
  try {
    const value: unknown = JSON.parse(storage.getItem(KEY) ?? '[]')
    return Array.isArray(value) ? value.filter(isSaved).slice(0, MOST) : []
  } catch {
    return []
  }
}

function isSaved(value: unknown): value is SavedFilter {
  const { name, base, text } = (value ?? {}) as Record<string, unknown>
  return typeof name === 'string' && typeof text === 'string' && bases.some((each) => each === base)
}

/** Keeps filters on this device. A name is kept once. */
export function keepFilters(
  storage: { setItem(key: string, value: string): void },
  filters: readonly SavedFilter[],
): SavedFilter[] {
  const kept = [...new Map(filters.map((filter) => [filter.name, filter])).values()].slice(-MOST)
  storage.setItem(KEY, JSON.stringify(kept))
  return kept
}
