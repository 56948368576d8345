// @ts-check

/** @typedef {{ median: number, low: number, high: number }} Spread */

/** Median, and the range that holds the middle four fifths. @param {readonly number[]} values @returns {Spread} */
export function spread(values) {
  return { median: percentile(values, 0.5), low: percentile(values, 0.1), high: percentile(values, 0.9) }
}

/** The value below which that part of the values lies. @param {readonly number[]} values @param {number} part */
export function percentile(values, part) {
  const sorted = [...values].sort((a, b) => a - b)
  const position = (sorted.length - 1) * part
  const below = sorted[Math.floor(position)] ?? Number.NaN
  const above = sorted[Math.ceil(position)] ?? Number.NaN
  return below + (above - below) * (position - Math.floor(position))
}
