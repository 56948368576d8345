import type { Streams } from '../../../src/ports/streams.ts'

/** Streams that count who reads them with a wait, and can be made to fail. */
export function watched(streams: Streams): { streams: Streams; waiting: () => number } {
  let waiting = 0
  const bind = (inner: Streams): Streams => ({
    ...inner,
    async read(session, options) {
      const waits = (options.waitMs ?? 0) > 0
      if (waits) waiting++
      try {
        return await inner.read(session, options)
      } finally {
        if (waits) waiting--
      }
    },
    tenant: (id) => bind(inner.tenant(id)),
  })
  return { streams: bind(streams), waiting: () => waiting }
}
