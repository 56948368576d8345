/** One page of a list of the store. */
interface Page<T> {
  readonly items: readonly T[]
  readonly next: string | undefined
}

/** How many pages of the store are read for one page of an answer. */
const MOST_READS = 50

/**
 * Reads pages until enough items were kept, or all were read. The cursor of the answer names an item that was kept: one of the store could name an item
 * that the caller may not see.
 */
export async function keptPage<T extends { id: string }>(
  { limit, cursor }: { limit: number; cursor?: string },
  read: (cursor: string | undefined) => Promise<Page<T>>,
): Promise<{ items: T[]; next?: string }> {
  const items: T[] = []
  let from = cursor
  for (let reads = 0; reads < MOST_READS; reads++) {
    const page = await read(from)
    items.push(...page.items)
    if (items.length > limit) break
    if (page.next === undefined) return { items }
    from = page.next
  }
  const kept = items.slice(0, limit)
  const last = kept.at(-1)?.id ?? from
  return last === undefined ? { items: kept } : { items: kept, next: last }
}
