// @ts-check
import { join } from 'node:path'
import { progress } from '../lib/report/progress.js'
import { spread } from '../lib/report/spread.js'
import { times } from '../lib/report/table.js'
import { inFolder } from '../lib/sqlite/files.js'
import { checkpoint, fileSize, openRaw } from '../lib/sqlite/raw.js'
import { createHoldpoint, openStore } from '../peers/holdpoint.js'

const APPROVALS = 200
const SLICE = 20

/** One run with 200 approvals: how large its file gets, and whether the last costs more than the first. @param {{ quick: boolean }} options @returns {Promise<import('../lib/report/table.js').Line[]>} */
export async function growth({ quick }) {
  const threads = quick ? 5 : 15
  const ratios = []
  let size = { file: 0, text: 0 }
  // The first threads warm up and are not counted.
  for (let i = -3; i < threads; i++) {
    progress(`200 approvals: thread ${i + 1} of ${threads}`)
    const one = await oneThread()
    size = one.size
    if (i >= 0) ratios.push(one.last / one.first)
  }
  const cost = spread(ratios)
  const growth = size.file / size.text
  return [
    {
      what: `file of ${APPROVALS} approvals (${size.file} B) ÷ state text (${size.text} B)`,
      target: '≤ 2×',
      measured: `${growth.toFixed(2)}×`,
      ok: growth <= 2,
    },
    {
      what: `approvals 181–200 ÷ approvals 1–20, time`,
      target: '≤ 1.1×',
      measured: times(cost),
      ok: cost.median <= 1.1,
    },
  ]
}

function oneThread() {
  return inFolder(async (dir) => {
    const peer = createHoldpoint()
    const path = join(dir, 'holdpoint.db')
    const store = openStore(path)
    const paused = await peer.pause(0, { store, threadId: 'long' })
    const taken = []
    for (let i = 0; i < APPROVALS; i++) {
      const start = performance.now()
      await peer.nextApproval(paused)
      taken.push(performance.now() - start)
    }
    await paused.state.loadMessages()
    const text = Buffer.byteLength(paused.state.toString())
    const raw = openRaw(path)
    checkpoint(raw)
    const file = fileSize(path)
    raw.close()
    await store.close()
    const first = spread(taken.slice(0, SLICE)).median
    return { first, last: spread(taken.slice(-SLICE)).median, size: { file, text } }
  })
}
