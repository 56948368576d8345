import type { Span, SpanLink, Tracer } from '../../ports/tracer.ts'

/** The part of `@opentelemetry/api` that is used here. */
interface Otel {
  trace: {
    getTracer(name: string): {
      startSpan(name: string, options: object, context: unknown): OtelSpan
    }
    setSpan(context: unknown, span: OtelSpan): unknown
  }
  context: { active(): unknown }
}

interface OtelSpan {
  spanContext(): { traceId: string; spanId: string }
  setAttributes(attributes: object): unknown
  end(): void
}

/** Loads the application's OpenTelemetry. Resolves to `undefined` if it is not installed; then nothing is traced. */
export async function loadOtel(): Promise<Tracer | undefined> {
  try {
    return toTracer((await import('@opentelemetry/api')) as unknown as Otel)
  } catch {
    return undefined
  }
}

function toTracer({ trace, context }: Otel): Tracer {
  const tracer = trace.getTracer('holdpoint')
  const started = new WeakMap<Span, OtelSpan>()
  return {
    start(name, { parent, links = [], attributes = {}, startTime }) {
      const outer = parent && started.get(parent)
      const inside = outer ? trace.setSpan(context.active(), outer) : context.active()
      const options = { attributes, links: links.map(toLink), ...(startTime === undefined ? {} : { startTime }) }
      const span = tracer.startSpan(name, options, inside)
      const { traceId, spanId } = span.spanContext()
      const wrapped: Span = {
        link: { traceId, spanId },
        set: (more) => void span.setAttributes(more),
        end: () => span.end(),
      }
      started.set(wrapped, span)
      return wrapped
    },
  }
}

function toLink(link: SpanLink): object {
  return { context: { ...link, traceFlags: 1, isRemote: true } }
}
