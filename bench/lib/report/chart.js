// @ts-check

/** @typedef {import('./table.js').Point} Point */

const WIDTH = 740
const HEIGHT = 380
const PLOT = { left: 64, right: 540, top: 48, bottom: 332 }

/** One line of the chart. @typedef {{ label: string, own: boolean, points: { turns: number, ms: number }[] }} Series */

/** Cycles in a store are those with the default durability. @type {Readonly<Record<string, { label: string, own: boolean }>>} */
const SERIES = {
  'power/langchain': { label: 'LangChain, SQLite', own: false },
  'power/holdpoint': { label: 'holdpoint, SQLite', own: true },
  'text/openai': { label: 'OpenAI SDK, text', own: false },
  'text/holdpoint': { label: 'holdpoint, text', own: true },
}

const STYLE = `text { font: 12px system-ui, sans-serif; fill: #1f2933 }
    .title { font-weight: 600; font-size: 14px } .soft { fill: #66727f } .grid { stroke: #dfe4ea } .own { stroke: #0b7285; fill: #0b7285 } .peer { stroke: #a0522d; fill: #a0522d }
    path { fill: none; stroke-width: 2 } path.own, path.peer { fill: none } text.own, text.peer { stroke: none }
    @media (prefers-color-scheme: dark) { text { fill: #e6eaee } .soft { fill: #9aa5b1 } .grid { stroke: #39424d } .own { stroke: #4dc4d4; fill: #4dc4d4 } .peer { stroke: #e0a477; fill: #e0a477 } }`

/** What one approve cycle costs at each length of the history, on logarithmic axes. `undefined`: too few points to draw. @param {readonly Point[]} points */
export function historyChart(points) {
  const series = toSeries(points)
  const all = series.flatMap((each) => each.points)
  if (all.length < 4) return undefined
  const x = scale([1, Math.max(...all.map(({ turns }) => turns))], [PLOT.left, PLOT.right])
  const y = scale([floorOf(all), ceilingOf(all)], [PLOT.bottom, PLOT.top])
  const lines = spreadLabels(series.map((each) => ({ ...each, end: y(each.points.at(-1)?.ms ?? 1) })))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="What an approve cycle costs against the length of its history">
  <style>${STYLE}</style>
  <text class="title" x="${PLOT.left}" y="24">One approve cycle against the length of its history</text>
  ${decades(floorOf(all), ceilingOf(all))
    .map((ms) => gridLine(y(ms), `${ms} ms`))
    .join('\n  ')}
  ${decades(1, Math.max(...all.map(({ turns }) => turns)))
    .map((turns) => tick(x(turns), turns))
    .join('\n  ')}
  <text class="soft" x="${(PLOT.left + PLOT.right) / 2}" y="${HEIGHT - 8}" text-anchor="middle">earlier tool turns (both axes are logarithmic)</text>
  ${lines.map((line) => drawn(line, x, y)).join('\n  ')}
</svg>
`
}

/** @param {readonly Point[]} points @returns {Series[]} */
function toSeries(points) {
  return Object.entries(SERIES).flatMap(([key, { label, own }]) => {
    const mine = points.filter(({ chart, series }) => `${chart}/${series}` === key)
    return mine.length > 1 ? [{ label, own, points: mine.toSorted((a, b) => a.turns - b.turns) }] : []
  })
}

/** @param {readonly [number, number]} from @param {readonly [number, number]} to */
function scale([low, high], [start, end]) {
  return (/** @type {number} */ value) => start + ((end - start) * Math.log(value / low)) / Math.log(high / low)
}

/** @param {readonly { ms: number }[]} points */
const floorOf = (points) => 10 ** Math.floor(Math.log10(Math.min(...points.map(({ ms }) => ms))))
/** @param {readonly { ms: number }[]} points */
const ceilingOf = (points) => 10 ** Math.ceil(Math.log10(Math.max(...points.map(({ ms }) => ms))))

/** @param {number} low @param {number} high */
function decades(low, high) {
  const found = []
  for (let value = low; value <= high * 1.001; value *= 10) found.push(Number(value.toPrecision(1)))
  return found
}

/** @param {number} y @param {string} label */
function gridLine(y, label) {
  return `<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${at(y)}" y2="${at(y)}"/><text class="soft" x="${PLOT.left - 8}" y="${at(y + 4)}" text-anchor="end">${label}</text>`
}

/** @param {number} x @param {number} turns */
function tick(x, turns) {
  return `<text class="soft" x="${at(x)}" y="${PLOT.bottom + 18}" text-anchor="middle">${turns.toLocaleString('en')}</text>`
}

/** Labels at the ends of lines, 16 pixels apart at least. @template {{ end: number }} T @param {readonly T[]} lines */
function spreadLabels(lines) {
  let last = Number.NEGATIVE_INFINITY
  return lines
    .toSorted((a, b) => a.end - b.end)
    .map((line) => {
      last = Math.max(line.end, last + 16)
      return { ...line, labelAt: last }
    })
}

/** Where the label of a line is that ends inside: beside its end another line goes on. */
const INSIDE = { above: { down: -10, anchor: 'end' }, below: { down: 22, anchor: 'start' } }

/** @param {Series & { labelAt: number }} line @param {(turns: number) => number} x @param {(ms: number) => number} y */
function drawn({ label, own, points, labelAt }, x, y) {
  const kind = own ? 'own' : 'peer'
  const path = points.map(({ turns, ms }, i) => `${i === 0 ? 'M' : 'L'}${at(x(turns))} ${at(y(ms))}`).join('')
  const dots = points.map(({ turns, ms }) => `<circle class="${kind}" cx="${at(x(turns))}" cy="${at(y(ms))}" r="3"/>`)
  const end = points.at(-1)
  const cost = end ? `${end.ms >= 10 ? Math.round(end.ms) : end.ms.toFixed(1)} ms` : ''
  const endAt = x(end?.turns ?? 1)
  const inner = own ? INSIDE.below : INSIDE.above
  const place =
    endAt < PLOT.right - 1
      ? `x="${at(endAt + 6)}" y="${at(y(end?.ms ?? 1) + inner.down)}" text-anchor="${inner.anchor}"`
      : `x="${at(endAt + 10)}" y="${at(labelAt + 4)}"`
  return `<path class="${kind}" d="${path}"/>${dots.join('')}<text class="${kind}" ${place}>${label}, ${cost}</text>`
}

/** @param {number} value */
const at = (value) => value.toFixed(1)
