import { describe, expect, it } from 'vitest'
import { Counter, Gauge, Histogram, metricsText } from './text.ts'

describe('the text format of metrics', () => {
  it('writes counters with their labels, escaped', () => {
    const counter = new Counter('hits_total', 'Hits.\nWith \\ in it.')
    counter.add({ tool: 'a "b" \\ c\nd' })
    counter.add({ tool: 'a "b" \\ c\nd' })
    counter.add({ tool: '' })
    expect(metricsText([counter])).toBe(
      [
        '# HELP hits_total Hits.\\nWith \\\\ in it.',
        '# TYPE hits_total counter',
        'hits_total{tool="a \\"b\\" \\\\ c\\nd"} 2',
        'hits_total{tool=""} 1',
        '',
      ].join('\n'),
    )
  })

  it('writes gauges when they are asked for', () => {
    let value = 1.5
    const gauge = new Gauge('lag_seconds', 'Lag.', () => [{ labels: {}, value }])
    expect(metricsText([gauge])).toContain('\nlag_seconds 1.5\n')
    value = Number.POSITIVE_INFINITY
    expect(metricsText([gauge])).toContain('\nlag_seconds +Inf\n')
  })

  it('writes histograms with cumulative buckets, a sum and a count', () => {
    const histogram = new Histogram('wait_seconds', 'Wait.', [1, 10])
    for (const seconds of [0.5, 1, 5, 100]) histogram.observe(seconds)
    expect(metricsText([histogram]).split('\n').slice(2)).toEqual([
      'wait_seconds_bucket{le="1"} 2',
      'wait_seconds_bucket{le="10"} 3',
      'wait_seconds_bucket{le="+Inf"} 4',
      'wait_seconds_sum 106.5',
      'wait_seconds_count 4',
      '',
    ])
  })

  it('counts what exceeds a thousand series together', () => {
    const counter = new Counter('hits_total', 'Hits.')
    for (let i = 0; i < 1500; i++) counter.add({ tool: `t${i}` })
    const text = metricsText([counter])
    expect(text.split('\n').length).toBe(2 + 1000 + 1 + 1)
    expect(text).toContain('hits_total{tool="other"} 500\n')
  })
})
