import type { JsonValue } from '../protocol/json/json.ts'

/** What is stored of a span so that later ones, in other processes, can be linked to it. */
export interface SpanLink {
  traceId: string
  spanId: string
}

/** A span that was started. */
export interface Span {
  readonly link: SpanLink
  set(attributes: Record<string, Exclude<JsonValue, null | object>>): void
  end(): void
}

/** Where spans go: OpenTelemetry, if the application has it. */
export interface Tracer {
  start(
    name: string,
    options: {
      /** Default: whatever span is active where this is called. */
      parent?: Span | undefined
      links?: readonly SpanLink[]
      attributes?: Record<string, Exclude<JsonValue, null | object>>
      /** Milliseconds since 1970, if not now. */
      startTime?: number
    },
  ): Span
}
