// @ts-check
import { join } from 'node:path'
import { progress } from '../lib/report/progress.js'
import { spread } from '../lib/report/spread.js'
import { inFolder } from '../lib/sqlite/files.js'
import { AGENTS, ASSIGNEES, fillInbox, TOOLS, threadName } from '../lib/sqlite/fill-inbox.js'
import { checkpoint, openRaw } from '../lib/sqlite/raw.js'
import { loadHoldpoint } from '../lib/subject/dist.js'
import { openStore } from '../peers/holdpoint.js'

const { openDesk } = await loadHoldpoint()

/**
 * @typedef {import('../lib/report/table.js').Line} Line
 * @typedef {NonNullable<Parameters<ReturnType<typeof openDesk>['list']>[0]>} Query
 * @typedef {{ what: string, query: () => Query, target?: number }} Case `target`: milliseconds at the 95th percentile
 */

const PAGE_MS = 5

/** Pages of an inbox with a million requests behind it, as `desk.list` gives them: read and parsed. @param {{ quick: boolean }} options @returns {Promise<Line[]>} */
export async function inbox({ quick }) {
  const count = quick ? 100_000 : 1_000_000
  return inFolder(async (dir) => {
    const path = join(dir, 'inbox.db')
    const store = openStore(path)
    const { threads } = await fillInbox(store, count)
    const raw = openRaw(path)
    checkpoint(raw)
    raw.close()
    const desk = openDesk({ store })
    /** @type {Line[]} */
    const lines = []
    for (const { what, query, target } of casesOf(threads, await middleId(desk))) {
      progress(`inbox: ${what}`)
      const { p95, median, rows } = await timePages(() => desk.list(query()))
      const measured = `${p95.toFixed(2)} ms (median ${median.toFixed(2)}; ${rows} rows)`
      const goal = target === undefined ? {} : { target: `< ${target} ms`, ok: p95 < target }
      lines.push({ what: `  ${what}, p95`, measured, ...goal })
    }
    progress('inbox: what is due')
    const { p95, median } = await timePages(async () => ({ requests: (await store.due()).requests }))
    lines.push({ what: '  what is due (nothing), p95', measured: `${p95.toFixed(2)} ms (median ${median.toFixed(2)})` })
    progress('')
    await store.close()
    return [{ what: `inbox of ${count} requests, pages of 50`, measured: '' }, ...lines]
  })
}

/** @param {number} threads @param {string} middle @returns {Case[]} */
function casesOf(threads, middle) {
  const any = (/** @type {number} */ below) => Math.floor(Math.random() * below)
  const open = /** @type {const} */ ({ status: 'open' })
  const ownThread = () => threadName(any(threads / 10) * 10)
  return [
    { what: 'open', target: PAGE_MS, query: () => open },
    { what: 'open, of an assignee', target: PAGE_MS, query: () => ({ ...open, assignee: `person-${any(ASSIGNEES)}` }) },
    { what: 'open, of a tool', target: PAGE_MS, query: () => ({ ...open, tool: `tool-${any(TOOLS)}` }) },
    { what: 'open, of an agent', target: PAGE_MS, query: () => ({ ...open, agent: `agent-${any(AGENTS)}` }) },
    { what: 'open, of a thread', target: PAGE_MS, query: () => ({ ...open, threadId: ownThread() }) },
    { what: 'decided, from the middle', target: PAGE_MS, query: () => ({ status: 'decided', cursor: middle }) },
    { what: 'of any status', target: PAGE_MS, query: () => ({}) },
    // No index serves these: a page looks at 5000 requests at most, and may be short.
    { what: 'open, of a tool and an agent', query: () => ({ ...open, tool: `tool-${any(TOOLS)}`, agent: 'agent-1' }) },
    { what: 'of an assignee, any status', query: () => ({ assignee: `person-${any(ASSIGNEES)}` }) },
    { what: 'of a tool that has none', query: () => ({ tool: 'no-such-tool' }) },
  ]
}

/** An id half way down the decided ones. @param {ReturnType<typeof openDesk>} desk */
async function middleId(desk) {
  const { requests } = await desk.list({ status: 'decided', limit: 1 })
  const newest = requests[0]?.id ?? ''
  const number = Number.parseInt(newest.replaceAll('-', '').slice(4, 12), 16)
  const half = Math.floor(number / 2)
    .toString(16)
    .padStart(8, '0')
  return `0190${half.slice(0, 4)}-${half.slice(4)}`
}

/**
 * The 95th percentile of each of several rounds, and of these the median: what other programs do on the machine falls on some rounds.
 *
 * @param {() => Promise<{ requests: unknown[] }>} page
 */
async function timePages(page) {
  const rounds = []
  let rows = 0
  for (let round = -1; round < 9; round++) {
    const times = []
    for (let i = 0; i < 100; i++) {
      const start = performance.now()
      const { requests } = await page()
      times.push(performance.now() - start)
      if (round >= 0) rows += requests.length / 900
    }
    // The first round warms up.
    if (round >= 0) rounds.push(times.sort((a, b) => a - b))
  }
  return {
    p95: spread(rounds.map((times) => times[94] ?? 0)).median,
    median: spread(rounds.map((times) => times[49] ?? 0)).median,
    rows: Math.round(rows),
  }
}
