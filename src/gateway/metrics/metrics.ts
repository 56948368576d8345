import { Lag } from '../../metrics/lag.ts'
import type { QueueGauges } from '../../metrics/queue-gauges.ts'
import type { ReadyGauges } from '../../metrics/ready-gauges.ts'
import { Counter, Gauge, Histogram, metricsText } from '../../metrics/text.ts'
import type { AppendCounters } from '../../metrics/watch-appends.ts'
import type { Happening } from '../../webhooks/happening.ts'
import type { DeliveryOutcome } from '../../webhooks/sending/sender.ts'
import type { LiveFigures } from '../live/hub.ts'

/** Upper bounds in seconds: from a click to a week. */
const DECISION_SECONDS = [1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400, 604_800]
/** The tool of requests that are not about a call. */
const NO_TOOL = ''

/** What is known of the store. */
export interface StoreMetrics {
  readonly queue: QueueGauges
  readonly ready: ReadyGauges
  readonly appends: AppendCounters
}

/** What this process counts. Each thing that happens in a store is counted by one of its gateways. */
export class Metrics {
  readonly #opened = new Counter('holdpoint_requests_opened_total', 'Requests that were opened.')
  readonly #expired = new Counter('holdpoint_requests_expired_total', 'Requests that expired.')
  readonly #escalated = new Counter('holdpoint_requests_escalated_total', 'Requests that were escalated.')
  readonly #decisions = new Counter('holdpoint_decisions_total', 'Decisions and answers.')
  readonly #seconds = new Histogram(
    'holdpoint_decision_seconds',
    'Time from the opening of a request to its decision.',
    DECISION_SECONDS,
  )
  readonly #attempts = new Counter('holdpoint_webhook_attempts_total', 'Attempts to send a webhook, by outcome.')
  readonly #http = new Counter('holdpoint_http_requests_total', 'HTTP requests.')
  readonly #streams: Gauge
  readonly #lag: Gauge
  readonly #webhookLag = new Lag()

  readonly #store: StoreMetrics

  /** `live`: the figures of live events, if there is a store. */
  constructor(live: () => LiveFigures | undefined, store: StoreMetrics) {
    this.#store = store
    this.#streams = new Gauge('holdpoint_live_streams', 'Open streams of live events.', () => [
      { labels: {}, value: live()?.streams ?? 0 },
    ])
    this.#lag = new Gauge('holdpoint_outbox_lag_seconds', 'Age of the newest rows when a consumer read them.', () => [
      { labels: { consumer: 'live' }, value: live()?.lagSeconds ?? 0 },
      { labels: { consumer: 'webhooks' }, value: this.#webhookLag.seconds },
    ])
  }

  happened(happening: Happening): void {
    if (!happening.opened) return
    const { row, event, opened, openedAt, outcome } = happening
    const tool = opened.toolName ?? NO_TOOL
    switch (event) {
      case 'request.opened':
        return this.#opened.add({ tool })
      case 'request.expired':
        return this.#expired.add({ tool })
      case 'request.escalated':
        return this.#escalated.add({ tool })
      case 'request.decided':
        this.#decisions.add({ tool, outcome: outcome ?? 'unknown' })
        return this.#seconds.observe(Math.max(0, row.at - openedAt) / 1000)
      default:
        return event satisfies never
    }
  }

  webhookTried(outcome: DeliveryOutcome): void {
    this.#attempts.add({ outcome })
  }

  webhooksLag(ms: number): void {
    this.#webhookLag.was(ms)
  }

  /**
   * Counts answers of a route, which is the path as it is declared: paths themselves would name requests. What is answered most is looked up once.
   * Methods are given by clients, so that only one's answers are kept at hand.
   */
  answersOf(route: string, usual: string): (method: string, status: number) => void {
    const atHand = new Map<number, { value: number }>()
    return (method, status) => {
      const known = method === usual ? atHand.get(status) : undefined
      const series = known ?? this.#http.series({ method, route, status: String(status) })
      series.value += 1
      if (!known && method === usual) atHand.set(status, series)
    }
  }

  async text(): Promise<string> {
    const { queue, ready, appends } = this.#store
    await Promise.all([queue.refresh(), ready.refresh()])
    return metricsText([
      ...[this.#opened, this.#expired, this.#escalated, this.#decisions, this.#seconds],
      ...[...queue.metrics, ...ready.metrics, ...appends.metrics],
      ...[this.#streams, this.#lag, this.#attempts, this.#http],
    ])
  }
}
