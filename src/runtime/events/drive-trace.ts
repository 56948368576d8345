import type { CallKey } from '../../protocol/ids.ts'
import type { SpanLink } from '../../protocol/trace-context.ts'
import { loadOtel } from '../../tracing/otel.ts'
import type { Journal } from '../journal/journal.ts'
import { Spans } from './spans.ts'

/** How a drive ended, as its span says it. */
interface TracedEnding {
  readonly kind: string
  readonly error?: { readonly code: string }
}

/** The spans of one drive of a thread by `run` or a worker. A drive that is refused before anything ran has none. */
export class DriveTrace {
  /** The span of the drive, to store with a new run. */
  readonly link: SpanLink
  readonly #spans: Spans
  readonly #journal: Journal

  private constructor(spans: Spans, journal: Journal, link: SpanLink) {
    this.#spans = spans
    this.#journal = journal
    this.link = link
  }

  /** Begins a trace, if the application traces. `lateMs`: the drive was to begin so long ago. */
  static begin(journal: Journal, woken: { lateMs?: number } = {}): DriveTrace | undefined {
    const tracer = loadOtel()
    if (!tracer) return undefined
    const spans = new Spans(tracer)
    return new DriveTrace(spans, journal, spans.begin(journal.state, woken))
  }

  /** Runs the body of a call inside of the call's span. */
  readonly inCall = <T>(key: CallKey, work: () => T): T => this.#spans.inCall(key, work)

  /** Drives, and ends the spans. */
  async over<T extends TracedEnding>(drive: () => Promise<T>, signal?: AbortSignal | undefined): Promise<T> {
    const [journal, spans] = [this.#journal, this.#spans]
    const stop = journal.observe((entry, at) => spans.folded(journal.state, entry, at))
    const unstamp = journal.stampWith((entry) => spans.stamp(entry))
    let ending: T | undefined
    try {
      ending = await spans.inRun(drive)
      return ending
    } finally {
      stop()
      unstamp()
      spans.end(signal?.aborted ? 'aborted' : 'detached', ending)
    }
  }
}
