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
  #webhookLagSeconds = 0

  readonly #store: StoreMetrics

  /** `live`: the figures of live events, if there is a store. */
  constructor(live: () => LiveFigures | undefined, store: StoreMetrics) {
    this.#store = store
    this.#streams = new Gauge('holdpoint_live_streams', 'Open streams of live events.', () => [
      { labels: {}, value: live()?.streams ?? 0 },
    ])
    this.#lag = new Gauge('holdpoint_outbox_lag_seconds', 'Age of the newest rows when a consumer read them.', () => [
      { labels: { consumer: 'live' }, value: live()?.lagSeconds ?? 0 },
      { labels: { consumer: 'webhooks' }, value: this.#webhookLagSeconds },
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
    this.#webhookLagSeconds = ms / 1000
  }

  /** `route` is the path as it is declared: paths themselves would name requests. */
  answered(request: { method: string; route: string; status: number }): void {
    this.#http.add({ method: request.method, route: request.route, status: String(request.status) })
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
