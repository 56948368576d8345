// @ts-check
import { join } from 'node:path'
import { progress } from '../lib/report/progress.js'
import { inFolder } from '../lib/sqlite/files.js'
import { checkpoint, openRaw, walPages } from '../lib/sqlite/raw.js'
import { payloadBytes, recordAppends } from '../lib/sqlite/record.js'
import { createHoldpoint, openStore } from '../peers/holdpoint.js'

/** @typedef {import('../lib/report/table.js').Line} Line */

/** In a row on one thread, since only some of them take a snapshot along. */
const CYCLES = 20

/** What one durable cycle writes: counted, not timed. @returns {Promise<Line[]>} */
export async function bytes() {
  const short = await atHistory(1)
  const long = await atHistory(1000)
  const payload = long.payload / short.payload
  const pages = long.pages / short.pages
  const within = (/** @type {number} */ ratio) => ratio >= 0.9 && ratio <= 1.1
  return [
    {
      what: `payload of a cycle (${short.appends} commits, ${short.entries} entries), 1 prior tool turn: mean, and the most`,
      target: '< 8192 B',
      measured: `${short.payload} B, ${short.most} B`,
      ok: short.most < 8192,
    },
    { what: '  at 1000', target: '< 8192 B', measured: `${long.payload} B, ${long.most} B`, ok: long.most < 8192 },
    { what: '  1000 ÷ 1', target: '0.9–1.1×', measured: `${payload.toFixed(3)}×`, ok: within(payload) },
    {
      what: 'WAL pages of a cycle, 1 prior tool turn: mean',
      target: '< 50',
      measured: `${short.pages.toFixed(1)} (${short.range})`,
      ok: short.pages < 50,
    },
    { what: '  at 1000', target: '< 50', measured: `${long.pages.toFixed(1)} (${long.range})`, ok: long.pages < 50 },
    { what: '  1000 ÷ 1', target: '0.9–1.1×', measured: `${pages.toFixed(3)}×`, ok: within(pages) },
  ]
}

/** @param {number} turns */
function atHistory(turns) {
  return inFolder(async (dir) => {
    progress(`bytes of a cycle, ${turns} prior tool turns`)
    const peer = createHoldpoint()
    const path = join(dir, 'holdpoint.db')
    const store = openStore(path)
    await peer.build(store, 'thread', turns)
    const raw = openRaw(path)
    const [pages, payloads] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])]
    let recorded = recordAppends(store)
    for (let n = 0; n < CYCLES; n++) {
      recorded = recordAppends(store)
      // An empty log before each cycle, far from the size at which SQLite carries it over by itself.
      checkpoint(raw)
      await peer.durableCycle(recorded.store, 'thread')
      pages.push(walPages(path))
      payloads.push(payloadBytes(recorded.appends, raw))
    }
    await store.close()
    raw.close()
    return {
      payload: Math.round(mean(payloads)),
      most: Math.max(...payloads),
      appends: recorded.appends.length,
      entries: recorded.appends.reduce((sum, { append }) => sum + append.entries.length, 0),
      pages: mean(pages),
      range: `${Math.min(...pages)}–${Math.max(...pages)}`,
    }
  })
}

/** @param {readonly number[]} numbers */
function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}
