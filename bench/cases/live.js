// @ts-check

import { judge, ms, times } from '../lib/report/table.js'
import { inFolder } from '../lib/sqlite/files.js'
import { measure } from '../lib/subject/measure.js'

/** @typedef {import('../lib/report/table.js').Line} Line */

const OVER_A_PROMISE_US = 20

/** A live confirm, asked → answered → going on: over a bare promise, and next to the store writes that a durable one makes. @param {{ quick: boolean }} options @returns {Promise<Line[]>} */
export async function live({ quick }) {
  const plan = {
    rounds: quick ? 10 : 25,
    warmUpMs: quick ? 700 : 2000,
    turnMs: 100,
    patienceMs: (quick ? 4 : 20) * 1000,
  }
  const params = (/** @type {string} */ dir) => ({ dir, turns: 0 })
  const memory = await inFolder((dir) =>
    measure(
      'live confirm, memory channel',
      [
        { name: 'confirm', module: 'live-memory', params: params(dir) },
        { name: 'promise', module: 'live-promise', params: params(dir) },
      ],
      plan,
    ),
  )
  const durable = await inFolder((dir) =>
    measure(
      'live confirm, durable channel',
      [
        { name: 'confirm', module: 'live-durable', params: params(dir) },
        { name: 'writes', module: 'live-writes', params: params(dir) },
      ],
      plan,
    ),
  )
  const over = (memory.time('confirm').median - memory.time('promise').median) * 1000
  const ratio = durable.ratio('confirm', 'writes')
  return [
    {
      what: 'live confirm on the memory channel, over a bare promise',
      target: `≤ ${OVER_A_PROMISE_US} µs`,
      measured: `${over.toFixed(1)} µs`,
      ok: over <= OVER_A_PROMISE_US,
    },
    { what: 'live confirm on a durable channel ÷ its store writes', measured: times(ratio), ...judge(ratio, '≤', 1.5) },
    { what: '  confirm', measured: ms(durable.time('confirm')) },
    { what: '  writes', measured: ms(durable.time('writes')) },
  ]
}
