import { z } from 'zod'
import { lazy } from './checks/lazy.ts'

/** The ids of a span, as they are stored. Spans of other processes are put below it or linked to it. */
export const spanLink = lazy(() =>
  z.object({
    traceId: z.string(),
    spanId: z.string(),
    /** The trace is not recorded. Absent: it is. */
    sampled: z.literal(false).exactOptional(),
  }),
)

/** The ids of a span. Its spelling in HTTP is the header `traceparent`. */
export type SpanLink = z.infer<ReturnType<typeof spanLink>>

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const ZEROS = /^0+$/

/** Reads a W3C `traceparent`. `undefined` if it is not valid: then the trace is not continued. */
export function parseTraceparent(header: unknown): SpanLink | undefined {
  const match = typeof header === 'string' ? TRACEPARENT.exec(header) : null
  if (!match) return undefined
  const [, version, traceId = '', spanId = '', flags = '', more] = match
  // Later versions may add fields; version 0 has none.
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1
  return { traceId, spanId, ...(isSampled ? {} : { sampled: false }) }
}

/** Writes a W3C `traceparent`. `undefined` for ids that are not valid: then there is no trace to continue. */
export function toTraceparent(link: SpanLink | undefined): string | undefined {
  if (!link || ZEROS.test(link.traceId) || ZEROS.test(link.spanId)) return undefined
  return `00-${link.traceId}-${link.spanId}-${link.sampled === false ? '00' : '01'}`
}
