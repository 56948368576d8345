let offset = 0
const RealDate = globalThis.Date

/** The time that this process takes for the time: what `Date` says. Monotonic clocks and timers go on as they are. */
globalThis.Date = /** @type {DateConstructor} */ (
  /** @type {unknown} */ (
    class extends RealDate {
      /** @param {unknown[]} given */
      constructor(...given) {
        if (given.length === 0) super(RealDate.now() + offset)
        else super(.../** @type {[number]} */ (given))
      }

      /** @override */
      static now() {
        return RealDate.now() + offset
      }
    }
  )
)

process.on('message', (/** @type {{ jumpBy?: number }} */ { jumpBy = 0 }) => {
  offset += jumpBy
})
