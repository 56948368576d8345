/** One page of a list of the store. */
interface Page<T> {
  readonly items: readonly T[]
  readonly next: string | undefined
}

/** Where a page of the store begins, and how long it may be. */
interface Place {
  readonly limit: number
  readonly cursor?: string
}

/** How many pages of the store are read for one page of an answer. */
const MOST_READS = 50

/** Reads pages until enough items were kept, or all were read. `next` may name an item that was not kept: it is not for callers. */
export async function keptPage<T>(
  { limit, cursor }: Place,
  read: (place: Place) => Promise<Page<T>>,
): Promise<{ items: T[]; next: string | undefined }> {
  const items: T[] = []
  let next = cursor
  for (let reads = 0; reads < MOST_READS && items.length < limit; reads++) {
    const page = await read({ limit: limit - items.length, ...(next === undefined ? {} : { cursor: next }) })
    items.push(...page.items)
    next = page.next
    if (next === undefined) break
  }
  return { items, next }
}
