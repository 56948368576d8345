import { decisionOutcomes } from '../../core/outcome.ts'
import type { RequestFacts } from '../../core/views/request-view.ts'
import type { Span, Tracer } from '../../ports/tracer.ts'
import type { Entry } from '../../protocol/entries/entry.ts'
import type { SpanLink } from '../../protocol/trace-context.ts'

/** An answer that was checked, and is about to be stored. */
interface Decided {
  readonly facts: RequestFacts
  readonly entries: readonly Entry[]
  /** The trace of who decides, if they told it. */
  readonly under: SpanLink | undefined
}

/** Entries with the spans of their decisions. */
interface TracedEntries {
  readonly entries: Entry[]
  /** They were stored. If they were not, their spans are dropped. */
  stored(): void
}

/**
 * Starts a span for each answer and puts it into the answer's entry: what acts on the answer is linked to it. The span is linked to that of the
 * request. It goes below the active span, else into the trace of who decides, else into the run's.
 */
export function traceDecisions(
  { tracer, startTime }: { tracer: Tracer; startTime: number },
  decided: readonly Decided[],
): TracedEntries {
  const spans: Span[] = []
  const traced = decided.flatMap(({ facts, entries, under }) =>
    entries.map((entry): Entry => {
      const outcome = outcomeOf(entry)
      if (outcome === undefined || !('id' in entry) || entry.id !== facts.opened.id) return entry
      const { opened, threadId } = facts
      const span = tracer.start('holdpoint.decide', {
        parent: tracer.active() ? undefined : (under ?? opened.trace),
        links: opened.trace ? [opened.trace] : [],
        attributes: {
          'holdpoint.thread_id': threadId,
          'holdpoint.request_id': opened.id,
          'hitl.outcome': outcome,
          ...(opened.toolName === undefined ? {} : { 'hitl.tool_name': opened.toolName }),
        },
        startTime,
      })
      spans.push(span)
      return { ...entry, trace: span.link } as Entry
    }),
  )
  return {
    entries: traced,
    stored: () => {
      for (const span of spans) span.end()
    },
  }
}

function outcomeOf(entry: Entry): string | undefined {
  if (entry.type === 'request.decided') return decisionOutcomes[entry.decision.type]
  return entry.type === 'request.answered' ? 'answered' : undefined
}
