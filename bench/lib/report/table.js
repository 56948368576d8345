// @ts-check

/**
 * One line of the report. Without `ok` it is for information only; `unsure` is a figure that mostly comes from disturbed rounds.
 *
 * @typedef {{ chart: string, series: string, turns: number, ms: number }} Point of the chart of cost against history
 * @typedef {{ what: string, target?: string, measured: string, ok?: boolean, unsure?: boolean, point?: Point }} Line
 * @typedef {import('./spread.js').Spread} Spread
 */

/** Lines as a Markdown table, columns aligned. @param {readonly Line[]} lines */
export function toTable(lines) {
  const rows = [
    ['what', 'target', 'measured (middle 80 % of rounds)', 'verdict'],
    ...lines.map(({ what, target = '', measured, ok, unsure }) => [what, target, measured, verdict(ok, unsure)]),
  ]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const text = rows.map((row) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`)
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [text[0], rule, ...text.slice(1)].join('\n')
}

/** @param {boolean | undefined} ok @param {boolean | undefined} unsure */
function verdict(ok, unsure) {
  if (ok === undefined) return ''
  if (unsure) return ok ? 'reached?' : 'MISSED?'
  return ok ? 'reached' : 'MISSED'
}

/** `23.4× (21.0–25.9; CPU 22.8×)` @param {Spread & { cpu?: number }} spread */
export function times({ median, low, high, cpu }) {
  return `${round(median)}× (${round(low)}–${round(high)}${cpu === undefined ? '' : `; CPU ${round(cpu)}×`})`
}

/** What a measured ratio says of a target. @param {Spread & { unsure: boolean }} ratio @param {'≥' | '≤'} sign @param {number} limit */
export function judge({ median, unsure }, sign, limit) {
  return { target: `${sign} ${limit}×`, ok: sign === '≥' ? median >= limit : median <= limit, unsure }
}

/** `1.23 ms (1.1–1.4)` @param {Spread} spread */
export function ms({ median, low, high }) {
  return `${round(median)} ms (${round(low)}–${round(high)})`
}

/** A time against a limit in milliseconds. @param {Spread} time @param {number} limit @param {boolean} unsure */
export function upTo({ median }, limit, unsure) {
  return { target: `≤ ${limit} ms`, ok: median <= limit, unsure }
}

/** How many a second there are, where `count` of them take that many milliseconds. @param {Spread} time @param {number} count */
export function perSecond({ median, low, high }, count) {
  const rate = (/** @type {number} */ taken) => (count * 1000) / taken
  return { median: rate(median), text: `${round(rate(median))}/s (${round(rate(high))}–${round(rate(low))})` }
}

/** Three digits that matter. @param {number} value */
function round(value) {
  if (value >= 100) return String(Math.round(value))
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
