/** A JSON text with the keys of every object in another order. */
export function shuffleKeys(text: string): string {
  return JSON.stringify(reverseKeys(JSON.parse(text)), null, 2)
}

function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reverseKeys(item)]),
  )
}
