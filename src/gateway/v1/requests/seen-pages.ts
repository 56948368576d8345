/** One page of a list of the store. */
interface Page<T> {
  readonly items: readonly T[]
  readonly next: string | undefined
}

/** How many pages of the store are read for one page of an answer. */
const MOST_READS = 50

/** Reads pages until enough items were kept, or all were read. `next` may name an item that was not kept: it is not for callers. */
export async function keptPage<T extends { id: string }>(
  { limit, cursor }: { limit: number; cursor?: string },
  read: (cursor: string | undefined) => Promise<Page<T>>,
): Promise<{ items: T[]; next: string | undefined }> {
  const items: T[] = []
  let from = cursor
  for (let reads = 0; reads < MOST_READS; reads++) {
    const page = await read(from)
    items.push(...page.items)
    if (items.length > limit) return { items: items.slice(0, limit), next: items[limit - 1]?.id }
    from = page.next
    if (from === undefined) break
  }
  return { items, next: from }
}
