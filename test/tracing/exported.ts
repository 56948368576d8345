import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, beforeEach } from 'vitest'

/** Registers OpenTelemetry for the tests of a file. Spans that ended can be read; they are dropped before each test. */
export function exported(options: { sampler?: Sampler } = {}) {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ ...options, spanProcessors: [new SimpleSpanProcessor(exporter)] })
  beforeAll(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
    trace.setGlobalTracerProvider(provider)
  })
  beforeEach(() => exporter.reset())
  afterAll(async () => {
    await provider.shutdown()
    trace.disable()
    context.disable()
  })
  const all = () => exporter.getFinishedSpans()
  return {
    all,
    reset: () => exporter.reset(),
    named: (name: string): ReadableSpan[] => all().filter((span) => span.name === name),
  }
}

/** The id of a span. */
export function idOf(span: ReadableSpan | undefined): string | undefined {
  return span?.spanContext().spanId
}

/** The ids of the spans that a span is linked to. */
export function linksOf(span: ReadableSpan | undefined): string[] {
  return span?.links.map((link) => link.context.spanId) ?? []
}
