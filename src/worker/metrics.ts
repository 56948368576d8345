import { Lag } from '../metrics/lag.ts'
import { MOST_READY, ReadyGauges } from '../metrics/ready-gauges.ts'
import { Counter, Gauge, Histogram, METRICS_TYPE, metricsText } from '../metrics/text.ts'
import { AppendCounters } from '../metrics/watch-appends.ts'
import type { Store } from '../ports/store.ts'
import { requireStore } from '../protocol/checks/check-options.ts'
import type { WorkerStatus } from './create-worker.ts'
import type { WorkerEvent, WorkerListener } from './events.ts'

/** Counts what a worker does, for Prometheus. */
export interface WorkerMetrics {
  /** The store to give to the worker: the same one, with refused appends counted. */
  readonly store: Store
  /** The listener to give to the worker. */
  readonly onEvent: WorkerListener
  /** What the text format is called in HTTP. */
  readonly contentType: string
  /** All metrics in the text format of Prometheus. No label names a tenant or a person. */
  text(status: WorkerStatus): Promise<string>
}

/** Upper bounds in seconds: from a doorbell that works to one that nobody hears. */
const SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 3600]

/** Makes the metrics of one worker: `createWorker({ store: metrics.store, onEvent: metrics.onEvent, … })`, then `metrics.text(worker.status())`. */
export function workerMetrics(store: Store): WorkerMetrics {
  requireStore('workerMetrics()', store)
  const counts = new WorkerCounts()
  const appends = new AppendCounters()
  const onError = (error: unknown, what: string) => counts.take({ type: 'error', what, error })
  const ready = new ReadyGauges(() => store.ready({ limit: MOST_READY }), onError)
  return {
    store: appends.watch(store),
    onEvent: (event) => counts.take(event),
    contentType: METRICS_TYPE,
    async text(status) {
      await ready.refresh()
      return metricsText([...counts.metrics, ...statusGauges(status), ...ready.metrics, ...appends.metrics])
    },
  }
}

/** What events count. */
class WorkerCounts {
  readonly #drives = new Counter('holdpoint_drives_total', 'Threads that were driven, by outcome.')
  readonly #passed = new Counter('holdpoint_drives_passed_total', 'Wake-ups with nothing to do, by reason.')
  readonly #dead = new Counter('holdpoint_dead_letters_total', 'Threads that failed for good.')
  readonly #errors = new Counter('holdpoint_worker_errors_total', 'Failures of work in the background.')
  readonly #resume = new Histogram('holdpoint_resume_seconds', 'How long threads had been due when driven.', SECONDS)
  readonly #drive = new Histogram('holdpoint_drive_seconds', 'How long driving took.', SECONDS)
  readonly #behind = new Lag()
  readonly #lag = new Gauge('holdpoint_outbox_lag_seconds', 'Age of the oldest row that a consumer last read.', () => [
    { labels: { consumer: 'workers' }, value: this.#behind.seconds },
  ])
  readonly metrics = [this.#drives, this.#passed, this.#dead, this.#errors, this.#resume, this.#drive, this.#lag]

  take(event: WorkerEvent): void {
    switch (event.type) {
      case 'driven':
        this.#drives.add({ outcome: event.outcome })
        this.#resume.observe(Math.max(0, event.lateMs) / 1000)
        return this.#drive.observe(event.ms / 1000)
      case 'passed':
        return this.#passed.add({ why: event.why })
      case 'failed':
        return this.#drives.add({ outcome: 'failed' })
      case 'dead':
        this.#drives.add({ outcome: 'dead' })
        return this.#dead.add()
      case 'relayed':
        return this.#behind.was(event.lagMs)
      case 'swept':
      case 'erased':
        return
      case 'error':
        return this.#errors.add({ what: event.what })
      default:
        return event satisfies never
    }
  }
}

function statusGauges({ active, waiting, leads }: WorkerStatus): Gauge[] {
  const gauge = (name: string, help: string, value: number) => new Gauge(name, help, () => [{ labels: {}, value }])
  return [
    gauge('holdpoint_worker_active_threads', 'Threads that this worker drives now.', active),
    gauge('holdpoint_worker_waiting_threads', 'Threads that wait in this worker for a free slot.', waiting),
    gauge('holdpoint_worker_leads', '1 if this worker relays the outbox and records deadlines.', leads ? 1 : 0),
  ]
}
