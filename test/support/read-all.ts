/** Reads an async iterable to its end. */
export async function readAll<T>(source: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = []
  for await (const item of source) read.push(item)
  return read
}
