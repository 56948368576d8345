import type { JsonValue } from '../protocol/json/json.ts'

/** The stored ids of a span. Later spans, in other processes, are linked to it. */
export interface SpanLink {
  traceId: string
  spanId: string
}

/** A started span. */
export interface Span {
  readonly link: SpanLink
  set(attributes: Record<string, Exclude<JsonValue, null | object>>): void
  end(): void
}

/** The destination of spans: OpenTelemetry, if the application has it. */
export interface Tracer {
  start(
    name: string,
    options: {
      /** Default: the active span at the call. */
      parent?: Span | undefined
      links?: readonly SpanLink[]
      attributes?: Record<string, Exclude<JsonValue, null | object>>
      /** Milliseconds since 1970. Default: now. */
      startTime?: number
    },
  ): Span
}
