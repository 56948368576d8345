// @ts-check
import { performance } from 'node:perf_hooks'
import { Worker } from 'node:worker_threads'

/** @typedef {(...args: any[]) => any} Call */

/**
 * Meters how long commits keep this thread from anything else: for each turn of the event loop, the sum of
 *
 * - the calls of `append` and `renewLease`, until they return;
 * - a transaction on this thread, from its begin to the end of its COMMIT;
 * - with a thread for writes: sending to it, and taking what it answers. Node reads a message before anybody can look, so a copy of it is made in
 *   its place, which takes longer.
 *
 * Not in it: what a run does after its commit, and the few microseconds in which results are handed out one by one.
 */
export class CommitMeter {
  #depth = 0
  #began = 0
  /** Milliseconds by turn. @type {Map<number, number>} */
  #turns = new Map()

  constructor() {
    const metered = (/** @type {Call} */ call) => this.#metered(call)
    const { on, postMessage } = Worker.prototype
    Worker.prototype.postMessage = metered(postMessage)
    Worker.prototype.on = function (/** @type {any} */ event, /** @type {Call} */ listener) {
      const taking = metered((message) => listener(structuredClone(message)))
      return on.call(this, event, event === 'message' ? taking : listener)
    }
  }

  /** Meters the transactions of a store that gets this. @param {string} point */
  crashPoint = (point) => {
    if (point === 'store.append.begun') this.#enter()
    if (point === 'store.append.committed') this.#leave()
  }

  /** Meters the calls of a store. @template {import('../../../dist/index.js').Store} S @param {S} store @returns {S} */
  watch(store) {
    const { append, renewLease } = store
    return Object.assign(store, { append: this.#metered(append), renewLease: this.#metered(renewLease) })
  }

  /** Milliseconds of each turn that had anything to do with commits, since the last time that this was asked. */
  take() {
    const turns = [...this.#turns.values()]
    this.#turns.clear()
    return turns
  }

  /** @template {Call} C @param {C} call @returns {C} */
  #metered(call) {
    const meter = this
    return /** @type {C} */ (
      /** @this {unknown} @param {any[]} args */
      function (...args) {
        meter.#enter()
        try {
          return call.apply(this, args)
        } finally {
          meter.#leave()
        }
      }
    )
  }

  #enter() {
    if (this.#depth++ === 0) this.#began = performance.now()
  }

  #leave() {
    if (--this.#depth > 0) return
    const turn = performance.nodeTiming.uvMetricsInfo.loopCount
    this.#turns.set(turn, (this.#turns.get(turn) ?? 0) + performance.now() - this.#began)
  }
}
