import { createRequire } from 'node:module'
import type { Span, SpanOptions, Tracer } from '../ports/tracer.ts'
import { lazy } from '../protocol/checks/lazy.ts'
import type { SpanLink } from '../protocol/trace-context.ts'
import { Harmless } from './harmless.ts'

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
    const harmless = new Harmless()
    return { api, harmless, tracer: toTracer(api, harmless) }
  } catch {
    return undefined
  }
})

/** The application's OpenTelemetry. `undefined` if it is not installed or no tracer provider is registered: then nothing is traced. */
export function loadOtel(): Tracer | undefined {
  const loaded = load()
  return loaded?.harmless.attempt(() => isRegistered(loaded.api), false) ? loaded.tracer : undefined
}

/** Until a provider is registered, the API has a proxy that leads nowhere. */
function isRegistered({ trace }: Otel): boolean {
  const provider = trace.getTracerProvider()
  return provider.getDelegateTracer === undefined || provider.getDelegateTracer(NAME) !== undefined
}

function toTracer({ trace, context }: Otel, harmless: Harmless): Tracer {
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
      return harmless.attempt(() => {
        // Asked for each time: another provider may have been registered.
        const span = trace.getTracer(NAME).startSpan(name, options, below(parent))
        const wrapped: Span = {
          link: linkOf(span.spanContext()),
          set: (more) => harmless.attempt(() => void span.setAttributes(more), undefined),
          fail: () => harmless.attempt(() => void span.setStatus({ code: ERROR }), undefined),
          end: () => harmless.attempt(() => span.end(), undefined),
        }
        started.set(wrapped, span)
        return wrapped
      }, NO_SPAN)
    },
    active: () =>
      harmless.attempt(() => {
        const ids = trace.getSpanContext(context.active())
        return ids && trace.isSpanContextValid(ids) ? linkOf(ids) : undefined
      }, undefined),
    inside: (span, work) => harmless.around((within) => context.with(below(span), within), work),
  }
}

/** What could not be started. Its ids are those that OpenTelemetry ignores. */
const NO_SPAN: Span = {
  link: { traceId: '0'.repeat(32), spanId: '0'.repeat(16), sampled: false },
  set: () => undefined,
  fail: () => undefined,
  end: () => undefined,
}

function linkOf({ traceId, spanId, traceFlags }: OtelIds): SpanLink {
  return { traceId, spanId, ...((traceFlags & SAMPLED) === 0 ? { sampled: false } : {}) }
}

function idsOf({ traceId, spanId, sampled }: SpanLink): object {
  return { traceId, spanId, traceFlags: sampled === false ? 0 : SAMPLED, isRemote: true }
}
