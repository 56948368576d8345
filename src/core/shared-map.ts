/** Shared by all that have no entry. Nothing is ever put into it. */
const NONE: ReadonlyMap<never, never> = new Map<never, never>()

/**
 * A map that most threads never put anything into. An empty one takes 184 bytes, and a process may hold many threads with several of them: those
 * without an entry share one.
 */
export function noEntries<K, V>(): ReadonlyMap<K, V> {
  return NONE as ReadonlyMap<unknown, unknown> as ReadonlyMap<K, V>
}

/** A map of these entries. */
export function mapOf<K, V>(entries: readonly (readonly [K, V])[]): ReadonlyMap<K, V> {
  return entries.length === 0 ? noEntries() : new Map(entries)
}

/** Puts an entry into a map, in place unless it is the shared one. Returns the map to keep. */
export function put<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  if (map.size === 0) return new Map([[key, value]])
  return (map as Map<K, V>).set(key, value)
}

/** Takes an entry out of a map, in place. Returns the map to keep: the shared one if it has no other. */
export function without<K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> {
  if (!map.has(key)) return map
  if (map.size === 1) return noEntries()
  ;(map as Map<K, V>).delete(key)
  return map
}
