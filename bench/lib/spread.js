// @ts-check

/** @typedef {{ median: number, low: number, high: number }} Spread */

/** Median, and the range that holds the middle four fifths. @param {readonly number[]} values @returns {Spread} */
export function spread(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (/** @type {number} */ part) => {
    const position = (sorted.length - 1) * part
    const below = sorted[Math.floor(position)] ?? Number.NaN
    const above = sorted[Math.ceil(position)] ?? Number.NaN
    return below + (above - below) * (position - Math.floor(position))
  }
  return { median: at(0.5), low: at(0.1), high: at(0.9) }
}
