import type { JsonValue } from '../protocol/json/json.ts'
import type { SpanLink } from '../protocol/trace-context.ts'

/** Attributes of a span. Never arguments, results or data of people. */
export type SpanAttributes = Record<string, Exclude<JsonValue, null | object>>

/** A started span. One that is never ended is never exported. */
export interface Span {
  readonly link: SpanLink
  set(attributes: SpanAttributes): void
  /** Marks what it traces as failed. */
  fail(): void
  end(): void
}

/** How a span is started. */
export interface SpanOptions {
  /** A span of this process, or the stored ids of one of any process. Default: the active span at the call. */
  parent?: Span | SpanLink | undefined
  links?: readonly SpanLink[]
  attributes?: SpanAttributes
  /** Milliseconds since 1970. Default: now. */
  startTime?: number
}

/** The destination of spans: OpenTelemetry, if the application has set it up. */
export interface Tracer {
  start(name: string, options: SpanOptions): Span
  /** The span that is active at the call, if any. */
  active(): SpanLink | undefined
  /** Does work while a span is active: spans of libraries that the work calls go below it. */
  inside<T>(span: Span, work: () => T): T
}
