// @ts-check

/** Names for new threads, so many at a time. */
export function threadNames() {
  let made = 0
  return (/** @type {number} */ count) =>
    Array.from({ length: count }, () => `thread-${String(made++).padStart(6, '0')}`)
}
