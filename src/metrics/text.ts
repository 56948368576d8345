/** Labels of a sample, such as `{ tool: 'refund' }`. */
export type Labels = Readonly<Record<string, string>>

/** One series: its labels and value. */
export interface Sample {
  readonly labels: Labels
  readonly value: number
}

/** A metric that can be written. */
export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** The suffix of a sample's name (`_bucket`, `_sum`, `_count` of a histogram) and the sample. */
  samples(): Iterable<readonly [suffix: string, sample: Sample]>
}

/** What the text format is called, version 0.0.4. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** A metric has at most so many series. What comes later is counted together, as `other`. */
const MOST_SERIES = 1000

/** Writes metrics in the text format of Prometheus. */
export function metricsText(metrics: Iterable<Metric>): string {
  let text = ''
  for (const { name, help, type, samples } of metrics) {
    text += `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`
    for (const [suffix, { labels, value }] of samples())
      text += `${name}${suffix}${labelText(labels)} ${valueText(value)}\n`
  }
  return text
}

/** A number that only grows, for each set of labels. */
export class Counter implements Metric {
  readonly type = 'counter'
  readonly name: string
  readonly help: string
  readonly #series = new Map<string, { labels: Labels; value: number }>()

  constructor(name: string, help: string) {
    this.name = name
    this.help = help
  }

  add(labels: Labels = {}): void {
    this.series(labels).value += 1
  }

  /** The series of these labels, whose `value` may grow. It appears with it: for those who count the same again and again. */
  series(labels: Labels): { value: number } {
    const key = Object.values(labels).join('\u0000')
    const known = this.#series.get(key)
    if (known) return known
    if (this.#series.size >= MOST_SERIES && !isOther(labels))
      return this.series(Object.fromEntries(Object.keys(labels).map((name) => [name, 'other'])))
    const fresh = { labels, value: 0 }
    this.#series.set(key, fresh)
    return fresh
  }

  readonly samples = (): Iterable<readonly [string, Sample]> =>
    [...this.#series.values()].map((each) => ['', each] as const)
}

/** A number that is read when it is asked for. */
export class Gauge implements Metric {
  readonly type = 'gauge'
  readonly name: string
  readonly help: string
  readonly #read: () => readonly Sample[]

  constructor(name: string, help: string, read: () => readonly Sample[]) {
    this.name = name
    this.help = help
    this.#read = read
  }

  readonly samples = (): Iterable<readonly [string, Sample]> => this.#read().map((each) => ['', each] as const)
}

/** How values are distributed over buckets. */
export class Histogram implements Metric {
  readonly type = 'histogram'
  readonly name: string
  readonly help: string
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0
  #count = 0

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.name = name
    this.help = help
    this.#bounds = bounds
    this.#counts = bounds.map(() => 0)
  }

  observe(value: number): void {
    this.#sum += value
    this.#count += 1
    const index = this.#bounds.findIndex((bound) => value <= bound)
    if (index >= 0) this.#counts[index] = (this.#counts[index] ?? 0) + 1
  }

  readonly samples = (): Iterable<readonly [string, Sample]> => {
    let below = 0
    const buckets = this.#bounds.map((bound, index) => {
      below += this.#counts[index] ?? 0
      return ['_bucket', { labels: { le: valueText(bound) }, value: below }] as const
    })
    return [
      ...buckets,
      ['_bucket', { labels: { le: '+Inf' }, value: this.#count }],
      ['_sum', { labels: {}, value: this.#sum }],
      ['_count', { labels: {}, value: this.#count }],
    ]
  }
}

function isOther(labels: Labels): boolean {
  return Object.values(labels).every((value) => value === 'other')
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function valueText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : '-Inf'
}
