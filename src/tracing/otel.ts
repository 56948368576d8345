import { createRequire } from 'node:module'
import type { Span, SpanOptions, Tracer } from '../ports/tracer.ts'
import type { SpanLink } from '../protocol/trace-context.ts'
import { lazy } from '../schema/lazy.ts'

/** The part of `@opentelemetry/api` that is used here. */
interface Otel {
  trace: {
    getTracerProvider(): { getDelegateTracer?(name: string): unknown }
    getTracer(name: string): {
      startSpan(name: string, options: object, context: unknown): OtelSpan
    }
    setSpan(context: unknown, span: OtelSpan): unknown
    setSpanContext(context: unknown, ids: object): unknown
    getSpanContext(context: unknown): OtelIds | undefined
    isSpanContextValid(ids: OtelIds): boolean
  }
  context: {
    active(): unknown
    with<T>(context: unknown, work: () => T): T
  }
}

interface OtelIds {
  traceId: string
  spanId: string
  traceFlags: number
}

interface OtelSpan {
  spanContext(): OtelIds
  setAttributes(attributes: object): unknown
  setStatus(status: { code: number }): unknown
  end(): void
}

const NAME = 'holdpoint'
const SAMPLED = 1
const ERROR = 2

// Not import(): whoever decides first wins, and waiting for a module could change who that is.
const load = lazy(() => {
  try {
    const api = createRequire(import.meta.url)('@opentelemetry/api') as Otel
    return { api, tracer: toTracer(api) }
  } catch {
    return undefined
  }
})

/** The application's OpenTelemetry. `undefined` if it is not installed or no tracer provider is registered: then nothing is traced. */
export function loadOtel(): Tracer | undefined {
  const loaded = load()
  return loaded && isRegistered(loaded.api) ? loaded.tracer : undefined
}

/** Until a provider is registered, the API has a proxy that leads nowhere. */
function isRegistered({ trace }: Otel): boolean {
  const provider = trace.getTracerProvider()
  return provider.getDelegateTracer === undefined || provider.getDelegateTracer(NAME) !== undefined
}

function toTracer({ trace, context }: Otel): Tracer {
  const started = new WeakMap<object, OtelSpan>()
  const below = (parent: SpanOptions['parent']): unknown => {
    const active = context.active()
    if (!parent) return active
    const own = started.get(parent)
    return own
      ? trace.setSpan(active, own)
      : trace.setSpanContext(active, idsOf('link' in parent ? parent.link : parent))
  }
  return {
    start(name, { parent, links = [], attributes = {}, startTime }) {
      const options = {
        attributes,
        links: links.map((link) => ({ context: idsOf(link) })),
        ...(startTime === undefined ? {} : { startTime }),
      }
      // Asked for each time: another provider may have been registered.
      const span = trace.getTracer(NAME).startSpan(name, options, below(parent))
      const wrapped: Span = {
        link: linkOf(span.spanContext()),
        set: (more) => void span.setAttributes(more),
        fail: () => void span.setStatus({ code: ERROR }),
        end: () => span.end(),
      }
      started.set(wrapped, span)
      return wrapped
    },
    active() {
      const ids = trace.getSpanContext(context.active())
      return ids && trace.isSpanContextValid(ids) ? linkOf(ids) : undefined
    },
    inside: (span, work) => context.with(below(span), work),
  }
}

function linkOf({ traceId, spanId, traceFlags }: OtelIds): SpanLink {
  return { traceId, spanId, ...((traceFlags & SAMPLED) === 0 ? { sampled: false } : {}) }
}

function idsOf({ traceId, spanId, sampled }: SpanLink): object {
  return { traceId, spanId, traceFlags: sampled === false ? 0 : SAMPLED, isRemote: true }
}
