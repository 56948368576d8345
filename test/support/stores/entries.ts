import type { Store } from '../../../src/ports/store.ts'
import type { Entry, EntryOf } from '../../../src/protocol/entries/entry.ts'
import { parseBody } from '../../../src/protocol/entries/versions.ts'

/** All entries of a thread. */
export async function entriesOf(store: Store, threadId: string): Promise<Entry[]> {
  const { entries } = await store.read(threadId)
  return entries.map(({ body, seq }) => parseBody(body, { threadId, seq }))
}

/** The types of a thread's entries. */
export async function typesOf(store: Store, threadId: string): Promise<string[]> {
  return (await entriesOf(store, threadId)).map((entry) => entry.type)
}

/** The entries of one type. */
export function ofType<T extends Entry['type']>(entries: readonly Entry[], type: T): EntryOf<T>[] {
  return entries.filter((entry): entry is EntryOf<T> => entry.type === type)
}
